// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// New values for all records that match a condition.
///
/// ```swift
/// for change in batch.values { assign(change.value, to: column(of: change.slot)) }
/// ```
public struct StoreBatchUpdate: Sendable {
  /// Which records: entities and a condition, without order, limit and offset; its result is rows.
  public var fetch: ResolvedFetch
  /// What slots are to hold, in the form in which stores keep it.
  public var values: [SlotValue]
  /// What is computed of each record as it was before.
  public var computed: [ComputedSlot]
  /// What the coordinator says of it.
  public var terms: BatchTerms

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - fetch: Which records.
  ///   - values: What slots are to hold.
  ///   - computed: What is computed of each record.
  ///   - terms: Who writes, and what is to be told of it.
  public init(
    fetch: ResolvedFetch, values: [SlotValue] = [], computed: [ComputedSlot] = [],
    terms: BatchTerms = BatchTerms()
  ) {
    self.fetch = fetch
    self.values = values
    self.computed = computed
    self.terms = terms
  }

  /// A slot and the value that it is to hold.
  ///
  /// ```swift
  /// let change = StoreBatchUpdate.SlotValue(slot: slot, value: .boolean(false))
  /// ```
  public struct SlotValue: Sendable {
    /// The slot, in the layouts of the entity and its subentities.
    public var slot: RowSlot
    /// The value, which ``ValueCheck`` has passed.
    public var value: Value

    /// Names a slot and its value.
    public init(slot: RowSlot, value: Value) {
      self.slot = slot
      self.value = value
    }
  }

  /// A slot, and the expression whose value it is to hold.
  ///
  /// ```swift
  /// if case .path(let path) = change.expression, path.isOwnAttribute { copy(path, to: change.slot) }
  /// ```
  public struct ComputedSlot: Sendable {
    /// The slot, in the layouts of the entity and its subentities.
    public var slot: RowSlot
    /// The attribute: what the expression gives must pass ``ValueCheck`` for it.
    public var attribute: AttributeDescription
    /// What is computed.
    public var expression: ResolvedExpression

    /// Names a slot and its expression.
    public init(slot: RowSlot, attribute: AttributeDescription, expression: ResolvedExpression) {
      self.slot = slot
      self.attribute = attribute
      self.expression = expression
    }
  }
}

/// Which records a store is to remove.
///
/// ```swift
/// if case .keys(let keys) = batch.target { remove(keys) }
/// ```
public struct StoreBatchDelete: Sendable {
  /// Which records.
  public var target: Target
  /// What the coordinator says of it.
  public var terms: BatchTerms

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - target: Which records.
  ///   - terms: Who writes, and what is to be told of it.
  public init(_ target: Target, terms: BatchTerms = BatchTerms()) {
    self.target = target
    self.terms = terms
  }

  /// Which records are removed.
  ///
  /// ```swift
  /// let target = StoreBatchDelete.Target.keys([key])
  /// ```
  public enum Target: Sendable {
    /// Those that match, within limit and offset in the order that is asked for; the request's result is keys.
    case matching(ResolvedFetch)
    /// Those with keys of one entity; keys without a record are no error.
    case keys([Int64])
  }
}
