// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// A batch update: new values for all records that match a condition.
///
/// ```swift
/// for change in batch.values { assign(change.value, to: column(of: change.slot)) }
/// ```
public struct StoreBatchUpdate: Sendable {
  /// The matched records: entities and a condition, without order, limit and offset; its result is rows.
  public var fetch: ResolvedFetch
  /// The constant values, in their stored form.
  public var values: [SlotValue]
  /// The values that are computed from each record's previous state.
  public var computed: [ComputedSlot]
  /// The terms of the request.
  public var terms: BatchTerms

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - fetch: The records.
  ///   - values: The constant values.
  ///   - computed: The values that are computed from each record.
  ///   - terms: The terms of the request.
  public init(
    fetch: ResolvedFetch, values: [SlotValue] = [], computed: [ComputedSlot] = [],
    terms: BatchTerms = BatchTerms()
  ) {
    self.fetch = fetch
    self.values = values
    self.computed = computed
    self.terms = terms
  }

  /// A slot and its new value.
  ///
  /// ```swift
  /// let change = StoreBatchUpdate.SlotValue(slot: slot, value: .boolean(false))
  /// ```
  public struct SlotValue: Sendable {
    /// The slot, in the layouts of the entity and its subentities.
    public var slot: RowSlot
    /// The value, validated by ``ValueCheck``.
    public var value: Value

    /// Makes a slot value.
    public init(slot: RowSlot, value: Value) {
      self.slot = slot
      self.value = value
    }
  }

  /// A slot, and the expression for its new value.
  ///
  /// ```swift
  /// if case .path(let path) = change.expression, path.isOwnAttribute { copy(path, to: change.slot) }
  /// ```
  public struct ComputedSlot: Sendable {
    /// The slot, in the layouts of the entity and its subentities.
    public var slot: RowSlot
    /// The attribute; the expression's value must pass ``ValueCheck`` for it.
    public var attribute: AttributeDescription
    /// The expression for the new value.
    public var expression: ResolvedExpression

    /// Makes a computed slot.
    public init(slot: RowSlot, attribute: AttributeDescription, expression: ResolvedExpression) {
      self.slot = slot
      self.attribute = attribute
      self.expression = expression
    }
  }
}

/// A batch deletion.
///
/// ```swift
/// if case .keys(let keys) = batch.target { remove(keys) }
/// ```
public struct StoreBatchDelete: Sendable {
  /// The records.
  public var target: Target
  /// The terms of the request.
  public var terms: BatchTerms

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - target: The records.
  ///   - terms: The terms of the request.
  public init(_ target: Target, terms: BatchTerms = BatchTerms()) {
    self.target = target
    self.terms = terms
  }

  /// The records to delete.
  ///
  /// ```swift
  /// let target = StoreBatchDelete.Target.keys([key])
  /// ```
  public enum Target: Sendable {
    /// The records that match a fetch, within its order, limit and offset; its result is keys.
    case matching(ResolvedFetch)
    /// The records with these keys, all of one entity; missing keys are not an error.
    case keys([Int64])
  }
}
