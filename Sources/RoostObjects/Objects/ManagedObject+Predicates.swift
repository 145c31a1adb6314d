// SPDX-License-Identifier: Apache-2.0

public import RoostQuery

// An object stands for its ID in a predicate, whatever context it belongs to (B143).
extension ManagedObject: ObjectIDConvertible {}
