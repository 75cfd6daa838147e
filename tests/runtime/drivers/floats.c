/* Prints floats given by their bits:  floats f32|f64  <bits  >lines */
#include "driver.h"
#include "mapal_runtime.h"
#include "output.h"

#include <string.h>

int main(int count, char **argument)
{
    CHECK(count == 2);
    if (strcmp(argument[1], "f32") == 0) {
        float value;
        while (fread(&value, sizeof value, 1, stdin) == 1) {
            mapal_print_f32(value, true);
        }
    } else {
        double value;
        while (fread(&value, sizeof value, 1, stdin) == 1) {
            mapal_print_f64(value, true);
        }
    }
    mapal_output_flush();
    return mapal_output_succeeded() ? 0 : 1;
}
