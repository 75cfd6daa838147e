/* As many bytes moved in order. Not a peer: a limit. */
#include <string.h>

void run(void *const *inputs, void *const *outputs)
{
    memcpy(outputs[0], inputs[0], COPIED);
}
