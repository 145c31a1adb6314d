// SPDX-License-Identifier: Apache-2.0

/// The handling of values that cannot be read where nothing can be thrown: in the getter of a property, in a
/// relationship, in a collection that writes through.
///
/// ```swift
/// context.readErrorPolicy = .trap
/// ```
public enum ReadErrorPolicy: Sendable, Hashable {
  /// The value reads as nil, zero or empty, the context has a `readError`, and every save throws it until the program
  /// has handled it.
  case deferred
  /// The process ends with a message that names the object and the reason, as with Core Data's exception.
  case trap
}
