// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import Synchronization

/// The errors thrown by an object's overridable validation methods: a `PersistenceError` or, in a program that uses
/// Core Data's names, the error type that it catches there.
package enum ValidationErrors {
  private static let translation = Mutex<
    (@Sendable (PersistenceError, ManagedObject) -> any Error)?
  >(nil)

  /// Sets a translation of errors. The translated error must have the original as its underlying error.
  package static func translate(
    by translation: @escaping @Sendable (PersistenceError, ManagedObject) -> any Error
  ) {
    self.translation.withLock { $0 = translation }
  }

  /// Runs a validation, and throws its error in the form that the program expects.
  static func told(
    of object: ManagedObject, _ validation: (ManagedObject) throws(PersistenceError) -> Void
  ) throws {
    do throws(PersistenceError) {
      try validation(object)
    } catch {
      throw translation.withLock { $0 }?(error, object) ?? error
    }
  }

  /// Returns the original of a translated error; nil for one of the program's own.
  package static func original(_ error: any Error) -> PersistenceError? {
    if let error = error as? PersistenceError { return error }
    return (error as NSError).userInfo[NSUnderlyingErrorKey] as? PersistenceError
  }
}
