// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

// Sendable: nothing proves it. Core Data promises it of its contexts, and a program that imports this module keeps the
// promise itself: it touches a context on the context's queue only.
extension ManagedObjectContext: @unchecked Sendable {}
