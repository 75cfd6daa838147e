/* The text of `--help`. */
#include "arguments.h"
#include "output.h"
#include "scalar.h"

#include <string.h>

static void print(const char *text)
{
    mapal_output_write(text, strlen(text));
}

static void print_number(uint64_t number)
{
    char text[24];
    char *begin = text + sizeof text;
    *--begin = '\0';
    do {
        *--begin = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    print(begin);
}

static void print_padded(const char *text, size_t width)
{
    print(text);
    for (size_t i = strlen(text); i < width; ++i) {
        print(" ");
    }
}

static void print_ports(const char *heading, uint32_t count, const mapal_port *port)
{
    size_t width = 0;
    if (count == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        size_t length = strlen(port[i].name);
        width = length > width ? length : width;
    }
    print(heading);
    for (uint32_t i = 0; i < count; ++i) {
        print("  ");
        print_padded(port[i].name, width);
        print("  ");
        print_padded(mapal_scalar_name(port[i].scalar), 4);
        print("  ");
        print_number(port[i].count);
        print(port[i].count == 1 ? " element, dtype " : " elements, dtype ");
        print(mapal_scalar_dtype(port[i].scalar));
        print("\n");
    }
}

void mapal_print_help(const mapal_program *program)
{
    print("usage: ");
    print(program->name);
    for (uint32_t i = 0; i < program->inputs; ++i) {
        print(" --input ");
        print(program->input[i].name);
        print("=PATH");
    }
    for (uint32_t i = 0; i < program->outputs; ++i) {
        print(" [--output ");
        print(program->output[i].name);
        print("=PATH]");
    }
    print("\n       ");
    print(program->name);
    print(" --help\n");
    print_ports("\ninputs, NumPy .npy files of any shape with this many elements:\n",
                program->inputs, program->input);
    print_ports("\noutputs, written as NumPy .npy files if a path is given:\n", program->outputs,
                program->output);
    print("\nexit status: 0 done; 1 output cannot be written; 2 usage or bad input; 101 trap\n");
}
