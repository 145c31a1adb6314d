// SPDX-License-Identifier: Apache-2.0

/// The reason why a save cannot write an object as it is: a ``MergeConflict`` or a ``ConstraintConflict``.
///
/// ```swift
/// for conflict in error.conflicts(in: context) { print(conflict.objects) }
/// ```
public protocol SaveConflict: AnyObject {
  /// The objects of the saving context that are involved.
  var objects: [ManagedObject] { get }
  /// The conflict as plain data, stored in the error policy's error.
  var record: ConflictRecord { get }
}
