// SPDX-License-Identifier: Apache-2.0

#ifndef ROOST_SWIFT_RUNTIME_H
#define ROOST_SWIFT_RUNTIME_H

// What Swift's runtime exports and the language has no word for: a weak reference is read by it.

/// Counts a reference to an object, unless its last one has gone: then the answer is null.
void *swift_tryRetain(void *object);

#endif
