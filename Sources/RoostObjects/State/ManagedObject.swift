// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// An object of the graph: the values of one record, in one context.
///
/// Subclass it with `@Entity`, or use it as it is with ``value(forKey:)``. An object belongs to one context and to the
/// context's queue; it is not `Sendable`, and the compiler holds you to it. To hand an object on, hand on its
/// ``objectID``.
///
/// A fetched or related object is a *fault* at first: it has its identity, and reads its values when one is accessed.
///
/// ```swift
/// let ada = Person(context: context)
/// ada.name = "Ada"
/// try context.save()
/// ```
nonisolated open class ManagedObject {
  // Properties needed for reading come first, and those needed for changes last: iterating over a large result misses
  // the processor's cache.

  /// The memory of the current row for the accessors' fast path; nil for a fault, for an observed object, and for an
  /// object whose row is not laid out by its class.
  @exclusivity(unchecked) @usableFromInline final var open: UnsafeMutableRawPointer?
  /// The slots of the class's properties, in the order of the class.
  @usableFromInline final let slots: UnsafePointer<RowSlot>
  /// The properties that may be written on the fast path.
  @exclusivity(unchecked) @usableFromInline final var settled = Settled()
  /// The slots whose values were set since the last fetch or save.
  @exclusivity(unchecked) final var changedSlots = PropertyMask()
  /// The memory of the current row; nil while the object is a fault.
  @exclusivity(unchecked) final var memory: UnsafeMutableRawPointer? {
    didSet { open = flags.isDisjoint(with: .closed) ? memory : nil }
  }
  /// The current values; kept while the object is a fault if its row is available.
  @exclusivity(unchecked) final var row: Row? {
    willSet {
      guard hasRowAsSnapshot else { return }
      hasRowAsSnapshot = false
      otherSnapshot = row
    }
  }
  /// The object's ID.
  @exclusivity(unchecked) final var identity: ObjectID
  /// The object's state in its context.
  @exclusivity(unchecked) final var flags: ObjectFlags = []
  /// The ordinal of the relationship of ``soleDestination``; negative when there is none.
  @exclusivity(unchecked) final var soleOrdinal: Int16 = -1
  /// The index of the object in the context's list of changed objects.
  @exclusivity(unchecked) final var trackingIndex: Int32 = -1
  /// The fetch group or path recorder of the object.
  @exclusivity(unchecked) final var attachment = Attachment.none
  /// Like ``context``, for reads without reference counting.
  @exclusivity(unchecked) final var contextReference: Unmanaged<ManagedObjectContext>?
  /// The context; nil once it has forgotten the object. The context clears it before it goes away.
  final var context: ManagedObjectContext? {
    get { contextReference?.takeUnretainedValue() }
    set { contextReference = newValue.map { Unmanaged.passUnretained($0) } }
  }
  /// Runtime data shared by all objects of the class and entity.
  final let binding: EntityBinding
  /// The values last fetched or saved; nil for an object without a record. As long as they are the current ones, the
  /// row is retained once: counting a reference would load the row's header from memory.
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
  /// Whether the current row is the snapshot's, too.
  @inline(__always) final var sharesRow: Bool {
    // The first test counts no reference.
    if hasRowAsSnapshot { return true }
    guard let otherSnapshot, let row else { return false }
    return otherSnapshot.isIdentical(to: row)
  }
  /// The snapshot, if it is not the current row.
  @exclusivity(unchecked) private final var otherSnapshot: Row?
  /// Attaches a row, as a fault whose values are available.
  final func attach(_ fetched: consuming Row) {
    row = fetched
    otherSnapshot = nil
    hasRowAsSnapshot = true
  }
  /// The state of each relationship, by ordinal; empty as long as ``soleDestination`` is all that is known.
  @exclusivity(unchecked) final var linkTable = LinkStates()
  /// The destination of the to-one relationship that was read or set, as long as no other relationship is loaded.
  @exclusivity(unchecked) final var soleDestination: ManagedObject?
  /// The relationships that were changed since the last fetch or save, by ordinal.
  @exclusivity(unchecked) final var changedLinks = PropertyMask()
  /// The index of the object in its context's registry; negative when it is not registered.
  @exclusivity(unchecked) final var registryPlace: Int32 = -1
  /// Whether the current row is also the snapshot.
  @exclusivity(unchecked) final private(set) var hasRowAsSnapshot = false
  /// Whether the object is, or was, a result of a live query. Stored in padding.
  @exclusivity(unchecked) final var isLiveResult = false
  /// Whether the last reference may be released on any thread, as the context is used on a queue. Stored in padding.
  @exclusivity(unchecked) final var isSharedAmongThreads = false

  /// Creates an object of `entity`, and inserts it into `context` unless that is nil.
  ///
  /// Called on `ManagedObject` itself, it creates an object of the class that the entity names. Called on a subclass,
  /// it creates an object of that class, which must be the entity's or a subclass of it. An object without a context
  /// has its default values and can be inserted later. An override, which runs for objects of records too, calls
  /// ``init(overriding:insertInto:)``.
  ///
  /// - Parameters:
  ///   - entity: The entity. An abstract one has no instances: the context does not accept the object, and the next
  ///     save throws `abstractEntity`. Nor does it accept an object whose class is not the entity's: `invalidValue`.
  ///   - context: The context to insert the object into.
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

  /// The superclass initializer for overrides of `init(entity:insertInto:)`.
  ///
  /// An override cannot call `super.init(entity:insertInto:)`: that initializer creates an object of the entity's
  /// class, which a subclass cannot continue to initialise.
  ///
  /// The override runs for every object of the class: for new objects, for objects of records, and for some without a
  /// context, as those that stand for the class in a key path; in these, values read as nil or zero, and writes are
  /// lost. A value that it sets in the object of a record is a change. Code for new objects only belongs in
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
    // The same code as the other initializer: neither may call the other, and passing parts on would count
    // references.
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

  /// Creates an object of the class that an entity names, if that is the wanted class or a subclass of it, and
  /// otherwise of the wanted class, which no context accepts; the implementation of `init(entity:insertInto:)`.
  public static func _make(
    _ wanted: ManagedObject.Type, _ entity: EntityDescription, _ context: ManagedObjectContext?
  ) -> ManagedObject {
    let objectClass = EntityBinding.binding(of: entity).objectClass
    let isOther = wanted != objectClass && wanted.isSame(orAbove: objectClass)
    return (isOther ? objectClass : wanted).init(entity: entity, insertInto: context)
  }

  /// Creates an object of this class's entity, and inserts it into `context`.
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
    // The context clears the reference before it goes away, and does not retain the object.
    contextReference._withUnsafeGuaranteedRef { context in
      context.registry.remove(self)
      if flags.contains(.observed) { context.eventState.observation?.remove(self) }
      if flags.contains(.hasFetchedValues) { fetchedProperties.forgetFetchedValues() }
      if soleOrdinal >= 0 || !linkTable.isEmpty { context.releaseLinks(of: self) }
    }
  }

  // MARK: - The class's entity

  /// Returns the entity of the class, in the model that came into use last.
  ///
  /// ```swift
  /// let name = Person.entity().name
  /// ```
  /// - Returns: For a class that no model has, such as `ManagedObject` itself, an entity without a name, which
  ///   belongs to no model.
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

  /// The class, the ID, and the state of the object: `fault`, `clean`, `new`, `deleted`, or `changed` with the names
  /// of the changed properties. It reads nothing, and never contains a stored value: `dump` shows the values.
  open var description: String { "<\(type(of: self)) \(identity) \(stateText)>" }

  /// The text that a debugger prints: ``description`` unless overridden.
  open var debugDescription: String { description }

  /// The declaration of the class by `@Entity`; nil for a class without it.
  open class var _entityDeclaration: EntityDeclaration? { nil }

  // MARK: - Life cycle

  /// Called once, when the object is first inserted into a context.
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

  /// Called each time the values of a fault were read. A property set here is not a change: it neither marks the
  /// object as changed nor maintains inverses.
  open func awakeFromFetch() {}

  /// Called when the values were replaced as a whole: by undo, rollback, refresh, merging or a merge policy. Compute
  /// dependent values here, such as transient properties; a property set here is not a change. Call super.
  ///
  /// - Parameter flags: The reasons of the replacement.
  open func awake(fromSnapshotEvents flags: SnapshotEventType) {}

  /// Called before the object becomes a fault, while its values are still there.
  open func willTurnIntoFault() {}

  /// Called after the object became a fault.
  open func didTurnIntoFault() {}

  /// Called when the object is deleted, before the delete rules are applied.
  open func prepareForDeletion() {}

  /// Called before the object is written, also for a deletion; changes made here are part of the same save.
  ///
  /// Setting a property here triggers another call for this object: set only values that differ. Endless changes end
  /// the save with `endlessWillSave`.
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

  /// Validates, and may replace, the new value of a property.
  ///
  /// Override it to add rules for single properties: this is Core Data's `validate<Key>` in one method.
  /// - Parameters:
  ///   - value: The value; replace it to save another one.
  ///   - key: The property.
  /// - Throws: ``PersistenceError``, or any error of your own, which is wrapped.
  open func validate(_ value: inout Value, forKey key: String) throws {}

  /// Calls the method `validate<Key>` of a property; `@Entity` overrides it for the methods that the class has.
  open func _runValidationHook(_ value: inout Value, forKey key: String) throws {}

  // MARK: - Ignored changes

  /// Whether ``didChangeValue(forKey:)`` for a key that the model does not have leaves the object unchanged. True
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

// `nonisolated` is explicit for programs whose default isolation is the main actor: their entity classes inherit it,
// and an object belongs to its context in them, too.
