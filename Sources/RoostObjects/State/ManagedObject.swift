// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// An object of the graph: the values of one record, in one context.
///
/// Subclass it with `@Entity`, or use it as it is with ``value(forKey:)``. An object belongs to one context and to the
/// context's queue; it is not `Sendable`, and the compiler holds you to it. To hand an object on, hand on its
/// ``objectID``.
///
/// An object that was fetched or related is a *fault* at first: it knows who it is, and reads its values when one is
/// asked for.
///
/// ```swift
/// let ada = Person(context: context)
/// ada.name = "Ada"
/// try context.save()
/// ```
nonisolated open class ManagedObject {
  // What is read of an object stands first, and what only a change needs stands last: a large result is read from
  // memory and not from the processor's cache.

  /// The memory of the current row for the accessors' short cut; nil for a fault, for an object that is observed, and
  /// for one whose row does not have the values where its class expects them.
  @exclusivity(unchecked) @usableFromInline final var open: UnsafeMutableRawPointer?
  /// The slots of the class's properties, in the order of the class.
  @usableFromInline final let slots: UnsafePointer<RowSlot>
  /// The properties that may be written without ceremony.
  @exclusivity(unchecked) @usableFromInline final var settled = Settled()
  /// The slots whose values were set since the last fetch or save.
  @exclusivity(unchecked) final var changedSlots = PropertyMask()
  /// The memory of the current row; nil while the object is a fault.
  @exclusivity(unchecked) final var memory: UnsafeMutableRawPointer? {
    didSet { open = flags.isDisjoint(with: .closed) ? memory : nil }
  }
  /// The values as they are now; kept while the object is a fault when its row is at hand anyway.
  @exclusivity(unchecked) final var row: Row? {
    willSet {
      guard hasRowAsSnapshot else { return }
      hasRowAsSnapshot = false
      otherSnapshot = row
    }
  }
  /// Who the object is.
  @exclusivity(unchecked) final var identity: ObjectID
  /// What the object is to its context.
  @exclusivity(unchecked) final var flags: ObjectFlags = []
  /// The ordinal of the relationship of ``soleDestination``; negative when there is none.
  @exclusivity(unchecked) final var soleOrdinal: Int16 = -1
  /// Where the object stands in the context's list of changed objects.
  @exclusivity(unchecked) final var trackingIndex: Int32 = -1
  /// What the object belongs to besides its context.
  @exclusivity(unchecked) final var attachment = Attachment.none
  /// Like ``context``, for those who only look at it: no reference is counted.
  @exclusivity(unchecked) final var contextReference: Unmanaged<ManagedObjectContext>?
  /// The context; nil once the object was forgotten by it. The context clears it before it goes away.
  final var context: ManagedObjectContext? {
    get { contextReference?.takeUnretainedValue() }
    set { contextReference = newValue.map { Unmanaged.passUnretained($0) } }
  }
  /// What the class and entity have in common for all their objects.
  final let binding: EntityBinding
  /// The values as they were fetched or saved last; nil for an object without a record. As long as they are the
  /// current ones, the row is held once: counting a reference means to fetch the row's beginning from memory.
  final var snapshot: Row? {
    get { hasRowAsSnapshot ? row : otherSnapshot }
    set {
      if let newValue, let row, newValue.isIdentical(to: row) {
        hasRowAsSnapshot = true
        otherSnapshot = nil
      } else {
        hasRowAsSnapshot = false
        otherSnapshot = newValue
      }
    }
  }
  /// The snapshot, where it is not the current row.
  @exclusivity(unchecked) private final var otherSnapshot: Row?
  /// Takes over a row, as a fault whose values are at hand.
  final func attach(_ fetched: consuming Row) {
    row = fetched
    otherSnapshot = nil
    hasRowAsSnapshot = true
  }
  /// What is known of each relationship, by ordinal; empty until one is used but for ``soleDestination``.
  @exclusivity(unchecked) final var linkTable = LinkStates()
  /// The destination of the to-one relationship that was read or set, as long as nothing is known of any other.
  @exclusivity(unchecked) final var soleDestination: ManagedObject?
  /// The relationships that were changed since the last fetch or save, by ordinal.
  @exclusivity(unchecked) final var changedLinks = PropertyMask()
  /// Where the object stands in its context's registry; negative when it is not there.
  @exclusivity(unchecked) final var registryPlace: Int32 = -1
  /// Whether the current row is the snapshot, too.
  @exclusivity(unchecked) final private(set) var hasRowAsSnapshot = false
  /// Whether it is, or was, among the results of a live query. In the padding behind the row's mark.
  @exclusivity(unchecked) final var isLiveResult = false
  /// Whether the last reference may go on any thread, as the context is used on a queue. Likewise.
  @exclusivity(unchecked) final var isSharedAmongThreads = false

  /// Creates an object of `entity`, and inserts it into `context` unless that is nil.
  ///
  /// Asked of `ManagedObject` itself, it makes an object of the class that the entity names. Asked of a subclass,
  /// it makes an object of that class, which must be the entity's or a subclass of it. An object without a context has
  /// its default values and can be inserted later. An override, which runs for objects of records too, calls
  /// ``init(overriding:insertInto:)``.
  ///
  /// - Parameters:
  ///   - entity: The entity. An abstract one has no instances: the context does not take the object, and the next
  ///     save throws `abstractEntity`. Neither does it take one whose class is not the entity's: `invalidValue`.
  ///   - context: The context that is to know the object.
  /// - Complexity: No query.
  @_disfavoredOverload
  public required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    if let context, let awaited = context.awaitedObject(of: entity) {
      binding = awaited.binding.takeUnretainedValue()
      slots = awaited.slots.slots
      identity = ObjectID(scope: awaited.scope.takeUnretainedValue(), key: awaited.key)
      begin(as: awaited, in: context)
      return
    }
    binding = EntityBinding.binding(of: entity)
    let table = binding.slotTable(for: type(of: self))
    slots = table.slots
    identity = ManagedObject.makeTemporaryID(for: entity, in: context)
    begin(table, in: context)
  }

  /// What an override of `init(entity:insertInto:)` calls in the place of the initializer that it overrides.
  ///
  /// `super.init(entity:insertInto:)` would mean the initializer that makes an object of the entity's class, which
  /// no class can continue.
  ///
  /// The override runs for every object of the class: for new ones, for those of records, and for some that no context
  /// has, as those that stand for the class in a key path; in these values read as nil or zero, and what is set is
  /// lost. What it sets in the object of a record is a change. Code for new objects alone belongs into
  /// ``awakeFromInsert()``.
  ///
  /// ```swift
  /// @Entity final class Person: ManagedObject {
  ///   var name: String
  ///   let made = Date()
  ///
  ///   required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
  ///     super.init(overriding: entity, insertInto: context)
  ///     print("\(objectID) was made at \(made).")
  ///   }
  /// }
  /// ```
  /// - Parameters:
  ///   - entity: The entity that the override was given. Another one ends the process when a record is fetched.
  ///   - context: The context that the override was given; likewise.
  /// - Complexity: No query.
  public init(overriding entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    // Word for word the other one: neither may call the other, and parts that are handed on are counted.
    if let context, let awaited = context.awaitedObject(of: entity) {
      binding = awaited.binding.takeUnretainedValue()
      slots = awaited.slots.slots
      identity = ObjectID(scope: awaited.scope.takeUnretainedValue(), key: awaited.key)
      begin(as: awaited, in: context)
      return
    }
    binding = EntityBinding.binding(of: entity)
    let table = binding.slotTable(for: type(of: self))
    slots = table.slots
    identity = ManagedObject.makeTemporaryID(for: entity, in: context)
    begin(table, in: context)
  }

  /// Creates an object of the class that an entity names, when that is the wanted class or a subclass of it, and
  /// else of the wanted class, which no context takes: what `init(entity:insertInto:)` does.
  public static func _make(
    _ wanted: ManagedObject.Type, _ entity: EntityDescription, _ context: ManagedObjectContext?
  ) -> ManagedObject {
    let objectClass = EntityBinding.binding(of: entity).objectClass
    let isOther = wanted != objectClass && wanted.isSame(orAbove: objectClass)
    return (isOther ? objectClass : wanted).init(entity: entity, insertInto: context)
  }

  /// Creates an object of the entity that this class stands for, and inserts it into `context`.
  ///
  /// ```swift
  /// let ada = Person(context: context)
  /// ```
  /// - Parameter context: The context; its model has one entity of this class.
  /// - Complexity: No query.
  public convenience init(context: ManagedObjectContext) {
    self.init(entity: context.entity(for: Self.self), insertInto: context)
  }

  deinit {
    if isSharedAmongThreads { return ObjectRegistry.release(self) }
    guard let contextReference else { return ManagedObject.release(editor.takeDestinations()) }
    // The context clears the reference before it goes away, and no object holds it.
    contextReference._withUnsafeGuaranteedRef { context in
      context.registry.remove(self)
      if flags.contains(.observed) { context.eventState.observation?.remove(self) }
      if flags.contains(.hasFetchedValues) { fetchedProperties.forgetFetchedValues() }
      if soleOrdinal >= 0 || !linkTable.isEmpty { context.releaseLinks(of: self) }
    }
  }

  // MARK: - The class's entity

  /// Returns the entity that the class stands for, in the model that came into use last.
  ///
  /// ```swift
  /// let name = Person.entity().name
  /// ```
  /// - Returns: For a class that no model has, as `ManagedObject` itself, an entity without a name, which belongs to no
  ///   model.
  open class func entity() -> EntityDescription {
    ClassEntities.entity(of: self) ?? EntityDescription()
  }

  /// Returns a request for the objects of the class whose ``FetchRequest/resultType`` can be any.
  ///
  /// ```swift
  /// let request: FetchRequest<any FetchRequestResult> = Person.fetchRequest()
  /// request.resultType = .dictionaryResultType
  /// ```
  @_disfavoredOverload
  open class func fetchRequest() -> FetchRequest<any FetchRequestResult> {
    FetchRequest(entityName: entity().name ?? ownEntityName)
  }

  // MARK: - Printing

  /// The class, the ID, and what the object is to its context: `fault`, `clean`, `new`, `deleted`, or `changed` with
  /// the names of what was changed. It reads nothing, and has never a stored value in it: `dump` shows the values.
  open var description: String { "<\(type(of: self)) \(identity) \(stateText)>" }

  /// What a debugger prints: ``description`` unless overridden.
  open var debugDescription: String { description }

  /// What `@Entity` says of the class; nil for a class without it.
  open class var _entityDeclaration: EntityDeclaration? { nil }

  // MARK: - Life cycle

  /// Called once, when the object was inserted into a context for the first time.
  ///
  /// Override it to give the object values that the model's defaults cannot express; call super.
  ///
  /// ```swift
  /// override func awakeFromInsert() {
  ///   super.awakeFromInsert()
  ///   created = Date()
  /// }
  /// ```
  open func awakeFromInsert() {}

  /// Called each time the values of a fault were read. What you set here is no change: it neither dirties the
  /// object nor maintains inverses.
  open func awakeFromFetch() {}

  /// Called when the values were replaced as a whole: by undo, rollback, refresh, merging or a merge policy. Compute
  /// here what depends on them, as transient properties; what you set is no change. Call super.
  ///
  /// - Parameter flags: Why the values are others now.
  open func awake(fromSnapshotEvents flags: SnapshotEventType) {}

  /// Called before the object becomes a fault, while its values are still there.
  open func willTurnIntoFault() {}

  /// Called after the object became a fault.
  open func didTurnIntoFault() {}

  /// Called when the object is deleted, before the delete rules are applied.
  open func prepareForDeletion() {}

  /// Called before the object is written, also for a deletion; changes made here are part of the same save.
  ///
  /// Setting a property here calls it again for this object: set only what differs. Changes that go on and on end the
  /// save with `endlessWillSave`.
  open func willSave() {}

  /// Called after the object was written. Changes made here make the context dirty again.
  open func didSave() {}

  // MARK: - Validation

  /// Checks the object before it is written as a new record.
  ///
  /// An override calls super, catches nothing, and throws errors of its own for rules that span properties.
  /// - Throws: ``PersistenceError`` with a validation code; several failures are one `validationMultipleErrors`.
  open func validateForInsert() throws {
    try validator.checkProperties()
  }

  /// Checks the object before its record is changed. See ``validateForInsert()``.
  open func validateForUpdate() throws {
    try validator.checkProperties()
  }

  /// Checks the object before its record is removed: no relationship whose rule is deny may have destinations.
  ///
  /// - Throws: ``PersistenceError`` with code `validationRelationshipDeniedDelete`.
  open func validateForDelete() throws {
    try validator.checkDeny()
  }

  /// Checks, and may replace, the value that a property is to get.
  ///
  /// Override it to add rules for single properties: this is Core Data's `validate<Key>` in one method.
  /// - Parameters:
  ///   - value: The value; replace it to save another one.
  ///   - key: The property.
  /// - Throws: ``PersistenceError``, or any error of your own, which is wrapped.
  open func validate(_ value: inout Value, forKey key: String) throws {}

  /// Calls the method `validate<Key>` of a property; `@Entity` overrides it for the methods that the class has.
  open func _runValidationHook(_ value: inout Value, forKey key: String) throws {}

  // MARK: - What is no change

  /// Whether ``didChangeValue(forKey:)`` for a key that the model does not have leaves the object clean. True
  /// unless overridden.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  /// Whether setting a transient property leaves the object and its context clean: Core Data's
  /// `contextShouldIgnoreChangesFor<Key>` in one method. Asked once for each transient property; false unless
  /// overridden.
  ///
  /// ```swift
  /// override class func contextShouldIgnoreChanges(forKey key: String) -> Bool { key == "isSelected" }
  /// ```
  /// - Parameter key: The name of a transient attribute or relationship.
  open class func contextShouldIgnoreChanges(forKey key: String) -> Bool { false }
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

// That it is `nonisolated` is said for programs whose declarations belong to the main actor unless they say otherwise:
// their entity classes inherit it, and an object belongs to its context in them, too.
