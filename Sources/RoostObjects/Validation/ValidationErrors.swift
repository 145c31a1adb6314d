// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import Synchronization

/// What the overridable validations of an object throw: our error or, in a program that uses Core Data's names, the one
/// that it catches there.
package enum ValidationErrors {
  private static let translation = Mutex<
    (@Sendable (PersistenceError, ManagedObject) -> any Error)?
  >(nil)

  /// Has errors translated from now on. The original must be the underlying error of what is made of it.
  package static func translate(
    by translation: @escaping @Sendable (PersistenceError, ManagedObject) -> any Error
  ) {
    self.translation.withLock { $0 = translation }
  }

  /// Runs a validation, and throws what it throws in the form that the program expects.
  static func told(
    of object: ManagedObject, _ validation: (ManagedObject) throws(PersistenceError) -> Void
  ) throws {
    do throws(PersistenceError) {
      try validation(object)
    } catch {
      throw translation.withLock { $0 }?(error, object) ?? error
    }
  }

  /// Our error, also where it was translated; nil for one of the program's own.
  package static func original(_ error: any Error) -> PersistenceError? {
    if let error = error as? PersistenceError { return error }
    return (error as NSError).userInfo[NSUnderlyingErrorKey] as? PersistenceError
  }
}
