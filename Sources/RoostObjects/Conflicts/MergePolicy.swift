// SPDX-License-Identifier: Apache-2.0

/// Resolves the conflicts of a save: each object of a conflict is brought to a state that can be written over the
/// current record, and the same call retries the save.
///
/// Take one of the built-in policies, choose one for each conflict with a closure, or write a subclass.
///
/// ```swift
/// context.mergePolicy = .mergeByPropertyObjectTrump
/// context.mergePolicy = MergePolicy { conflict in
///   conflict.objects.contains { $0.entity.name == "Log" }
///     ? .rollbackMergePolicyType : .mergeByPropertyStoreTrumpMergePolicyType
/// }
/// ```
nonisolated open class MergePolicy: @unchecked Sendable {
  // Sendable: nothing here changes; a subclass with further state is responsible for its own thread safety.

  /// The built-in policy that this one is, or starts with.
  public final let mergeType: MergePolicyType
  private let choice: (@Sendable (any SaveConflict) throws -> MergePolicyType)?

  /// Creates a policy of a built-in type; a subclass passes the type that its overrides start with.
  ///
  /// - Parameter type: The type.
  public init(merge type: MergePolicyType) {
    mergeType = type
    choice = nil
  }

  /// Creates a policy that chooses a built-in type for each conflict.
  ///
  /// - Parameter choice: Returns the type to resolve a conflict with. An error that it throws ends the save.
  public init(_ choice: @escaping @Sendable (any SaveConflict) throws -> MergePolicyType) {
    mergeType = .errorMergePolicyType
    self.choice = choice
  }

  /// A conflict ends the save with an error that names all conflicts; the default.
  public static let error = MergePolicy(merge: .errorMergePolicyType)
  /// Merges property by property; if both sides changed one, the store's value wins.
  public static let mergeByPropertyStoreTrump = MergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// Merges property by property; if both sides changed one, the object's value wins.
  public static let mergeByPropertyObjectTrump = MergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// Writes the whole object over the record.
  public static let overwrite = MergePolicy(merge: .overwriteMergePolicyType)
  /// Drops the changes of the objects in conflict; the others are saved.
  public static let rollback = MergePolicy(merge: .rollbackMergePolicyType)

  /// Resolves all conflicts of one attempt of a save, in the signature that programs for Core Data override: the
  /// method that a save calls first.
  ///
  /// - Parameter list: ``MergeConflict`` and ``ConstraintConflict``.
  /// - Throws: As the method that takes conflicts by their type.
  @_disfavoredOverload
  open func resolve(mergeConflicts list: [Any]) throws {
    try resolve(mergeConflicts: list.compactMap { $0 as? any SaveConflict })
  }

  /// Resolves all conflicts of one attempt of a save: first version conflicts, then uniqueness conflicts.
  ///
  /// - Parameter list: ``MergeConflict`` and ``ConstraintConflict``.
  /// - Throws: ``PersistenceError`` with code `managedObjectMerge` or `managedObjectConstraintMerge`, or any error of
  ///   an override; the save ends with it.
  open func resolve(mergeConflicts list: [any SaveConflict]) throws {
    let versions = list.compactMap { $0 as? MergeConflict }
    let constraints = list.compactMap { $0 as? ConstraintConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Resolves version conflicts.
  ///
  /// An override may set properties of the objects before it calls super, where they count as changes of this
  /// context, or after it. A conflict without a resolution is resolved as if the object's values won where both sides
  /// changed.
  ///
  /// - Parameter list: One conflict for each record.
  /// - Throws: ``PersistenceError`` with code `managedObjectMerge`.
  open func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
    let types = try list.map { try type(for: $0) }
    try ConflictReport(list.filterPairs(types)).throwIfAny()
    let context = list.first?.objects.first?.context
    for (conflict, type) in zip(list, types) { try conflict.settle(by: type) }
    context?.saver.finishReplacing()
    for conflict in list { conflict.tellObjects() }
  }

  /// Resolves uniqueness conflicts; called after the version conflicts are resolved.
  ///
  /// - Parameter list: One conflict for each constraint and combination of values.
  /// - Throws: ``PersistenceError`` with code `managedObjectConstraintMerge`.
  open func resolve(constraintConflicts list: [ConstraintConflict]) throws {
    let types = try list.map { try type(for: $0) }
    try ConflictReport(list.filterPairs(types)).throwIfAny()
    let context = list.first?.objects.first?.context
    for (conflict, type) in zip(list, types) { conflict.settle(by: type) }
    context?.saver.finishReplacing()
    for conflict in list { conflict.tellObjects() }
  }

  /// Whether the policy may do anything but end the save.
  final var canTouchObjects: Bool {
    mergeType != .errorMergePolicyType || choice != nil || Swift.type(of: self) != MergePolicy.self
  }

  private func type(for conflict: any SaveConflict) throws -> MergePolicyType {
    try choice?(conflict) ?? mergeType
  }
}

extension Array where Element: SaveConflict {
  /// The conflicts whose type is the error policy.
  fileprivate func filterPairs(_ types: [MergePolicyType]) -> [any SaveConflict] {
    zip(self, types).compactMap { $1 == .errorMergePolicyType ? $0 : nil }
  }
}
