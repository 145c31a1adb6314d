// SPDX-License-Identifier: Apache-2.0

/// What a context does when a value cannot be read where nothing can be thrown: in the getter of a property, in a
/// relationship, in a collection that writes through.
///
/// ```swift
/// context.readErrorPolicy = .trap
/// ```
public enum ReadErrorPolicy: Sendable, Hashable {
  /// The value reads as nil, zero or nothing, the context has a `readError`, and every save
  /// throws it until the program has dealt with it.
  case deferred
  /// The process ends with a sentence that names the object and the reason, as with Core Data's exception.
  case trap
}
