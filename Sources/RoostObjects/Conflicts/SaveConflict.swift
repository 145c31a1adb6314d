// SPDX-License-Identifier: Apache-2.0

/// Why a save cannot write an object as it is: a ``MergeConflict`` or a ``ConstraintConflict``.
///
/// ```swift
/// for conflict in error.conflicts(in: context) { print(conflict.objects) }
/// ```
public protocol SaveConflict: AnyObject {
  /// The objects of the saving context that are concerned.
  var objects: [ManagedObject] { get }
  /// What the error policy says of it.
  var record: ConflictRecord { get }
}
