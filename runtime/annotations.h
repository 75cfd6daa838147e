/* What a race detector that does not know atomic operations is told, in a build with MAPAL_ANNOTATED:
 * that what happens before a release is seen after the acquire, and where atomic variables lie. */
#ifndef MAPAL_ANNOTATIONS_H
#define MAPAL_ANNOTATIONS_H

#ifdef MAPAL_ANNOTATED
#include <valgrind/helgrind.h>
#define MAPAL_RELEASED(variable) ANNOTATE_HAPPENS_BEFORE(variable)
#define MAPAL_ACQUIRED(variable) ANNOTATE_HAPPENS_AFTER(variable)
#define MAPAL_ATOMIC(variable, bytes) VALGRIND_HG_DISABLE_CHECKING(variable, bytes)
#else
#define MAPAL_RELEASED(variable) (void)(variable)
#define MAPAL_ACQUIRED(variable) (void)(variable)
#define MAPAL_ATOMIC(variable, bytes) (void)(variable)
#endif

#endif
