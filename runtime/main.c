/* The frame of every executable: command line, inputs, the program, outputs. */
#define _POSIX_C_SOURCE 200809L

#include "arguments.h"
#include "mapal_runtime.h"
#include "npy.h"
#include "output.h"

#include <fcntl.h>
#include <unistd.h>

enum { BUFFER_ALIGNMENT = 64, PAGE_BYTES = 4096 };

/* If standard output is closed, the next file to be opened would get its number and be mixed with
 * what the program prints. A descriptor for reading only takes the place: writing to it fails. */
static void occupy_standard_descriptors(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) < 0) {
            (void)open("/dev/null", O_RDONLY);
        }
    }
}

static void **make_buffers(uint32_t count, const mapal_port *port)
{
    void **buffer = mapal_arena_allocate((int64_t)(count * sizeof *buffer), 1);
    for (uint32_t i = 0; i < count; ++i) {
        buffer[i] = mapal_arena_allocate(mapal_port_bytes(&port[i]), BUFFER_ALIGNMENT);
    }
    return buffer;
}

/* The system provides a page at its first use; that time does not belong to the program. One byte a
 * page is enough. */
static void touch_pages(const mapal_port *port, volatile unsigned char *buffer)
{
    int64_t bytes = mapal_port_bytes(port);
    for (int64_t offset = 0; offset < bytes; offset += PAGE_BYTES) {
        buffer[offset] = 0;
    }
}

int main(int count, char **argument)
{
    const mapal_program *program = &mapal_program_descriptor;
    occupy_standard_descriptors();
    if (program->abi != MAPAL_RUNTIME_ABI) {
        mapal_bug("%s was compiled for runtime interface %u, this is %u", program->name,
                  (unsigned)program->abi, MAPAL_RUNTIME_ABI);
    }
    mapal_arguments arguments = mapal_parse_arguments(program, count, argument);
    if (arguments.help) {
        mapal_print_help(program);
        mapal_output_flush();
        return mapal_output_succeeded() ? MAPAL_EXIT_DONE : MAPAL_EXIT_OUTPUT;
    }

    void **inputs = make_buffers(program->inputs, program->input);
    void **outputs = make_buffers(program->outputs, program->output);
    for (uint32_t i = 0; i < program->inputs; ++i) {
        mapal_npy_read(&program->input[i], arguments.input[i], inputs[i]);
    }
    for (uint32_t i = 0; i < program->outputs; ++i) {
        touch_pages(&program->output[i], outputs[i]);
    }

    program->entry(inputs, outputs);

    /* Nobody should find result files of a run whose printed output is lost. */
    mapal_output_flush();
    if (!mapal_output_succeeded()) {
        return MAPAL_EXIT_OUTPUT;
    }
    for (uint32_t i = 0; i < program->outputs; ++i) {
        if (arguments.output[i] != NULL) {
            mapal_npy_write(&program->output[i], arguments.output[i], outputs[i]);
        }
    }
    return MAPAL_EXIT_DONE;
}
