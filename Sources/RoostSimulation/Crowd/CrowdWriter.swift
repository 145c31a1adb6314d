// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

/// One writer of a crowd: it makes random changes, saves, and records the results.
struct CrowdWriter {
  let number: Int
  private let context: ManagedObjectContext
  private let history: CrowdHistory
  private var random: SplitMix64
  private var lastMark: Int64
  private var seat: (number: Int, object: ManagedObject)?
  /// Fewer seats than writers, so that they want the same ones.
  private static let seats = 3

  init(number: Int, seed: UInt64, context: ManagedObjectContext, history: CrowdHistory) {
    self.number = number
    self.context = context
    self.history = history
    random = SplitMix64(seed: seed &* 1_000 &+ UInt64(number))
    lastMark = Int64(number + 1) * 1_000_000
    // Some trust the cache, some do not.
    if number % 2 == 1 { context.stalenessInterval = 0 }
  }

  /// All objects of an entity, with their values: a fault that fires later shows a later state, or nothing.
  static func fetch(
    _ entityName: String, _ context: ManagedObjectContext, asFaults: Bool = false
  ) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(entityName: entityName)
    request.returnsObjectsAsFaults = asFaults
    return try context.fetch(request)
  }

  static func piece(_ object: ManagedObject) throws -> CrowdPiece {
    CrowdPiece(
      serial: try object.number("serial") ?? -1, mark: try object.number("mark") ?? 0,
      number: try object.number("number") ?? -1, box: try object.one("box")?.text("name"))
  }

  private mutating func nextMark() -> Int64 {
    lastMark += 1
    return lastMark
  }

  mutating func step() throws {
    switch random.below(12) {
    case 0: try insert()
    case 1: try delete()
    case 2: try seat == nil ? takeSeat() : leaveSeat()
    case 3: try view()
    case 4: try takeBack()
    default: try change()
    }
    // Registered objects may be out of date by the next step.
    if seat == nil, random.below(3) > 0 { context.reset() }
  }

  // MARK: - Wishes

  private mutating func insert() throws {
    let mark = nextMark()
    let object = try context.make("Piece", ["serial": mark, "mark": mark, "number": 0])
    try object.set("box", try box())
    let piece = try Self.piece(object)
    if try save() { history.noteBirth(piece) }
  }

  private mutating func delete() throws {
    // Most of the initial pieces stay, so that the writers have something to compete for.
    let all = try objects().filter { try ($0.number("serial") ?? 0) >= 6 }
    guard let object = pick(all) else { return }
    let piece = try Self.piece(object)
    context.delete(object)
    if try save() { history.noteDeath(of: piece.serial, mark: piece.mark) }
  }

  private mutating func change() throws {
    let mark = nextMark()
    var changes: [(before: Int64, after: CrowdPiece)] = []
    var left = try objects()
    for _ in 0...random.below(3) {
      guard let object = pick(left) else { break }
      left.removeAll { $0 === object }
      let before = try Self.piece(object)
      try object.set("mark", mark)
      try object.set("number", before.number + 1)
      if random.below(3) == 0 { try object.set("box", try box()) }
      changes.append((before.mark, try Self.piece(object)))
    }
    if try save() { history.noteChanges(changes) }
  }

  /// Changes and takes it back: nothing is left of it.
  private mutating func takeBack() throws {
    guard let object = pick(try objects()) else { return }
    let before = try Self.piece(object)
    try object.set("mark", nextMark())
    try object.set("box", nil)
    context.rollback()
    guard object.managedObjectContext != nil else { return }
    try expectEqual(try Self.piece(object).serial, before.serial, "the piece after a rollback")
    try expect(!context.hasChanges, "a rollback leaves nothing to save")
  }

  /// Reads all pieces at once.
  private mutating func view() throws {
    guard seat == nil else { return }
    context.reset()
    // Faults show the values of the fetch, unless they have to read the store again (B363).
    let asFaults = context.stalenessInterval != 0
    history.noteView(try Self.fetch("Piece", context, asFaults: asFaults).map(Self.piece))
  }

  private mutating func takeSeat() throws {
    let wanted = random.below(Self.seats)
    let object = try context.make("Seat", ["name": "\(wanted)"])
    guard try save() else { return }
    history.noteSeat(wanted, of: number)
    seat = (wanted, object)
  }

  /// Leaves the seat, if there is one.
  mutating func leaveSeat() throws {
    guard let (number, object) = seat else { return }
    seat = nil
    // The history is updated first: once this is saved, another writer may read it.
    history.noteLeaving(number)
    context.delete(object)
    try expect(try save(), "nobody else changes a seat that is taken")
  }

  // MARK: - Helpers

  private func objects() throws -> [ManagedObject] {
    try Self.fetch("Piece", context).filter { !$0.isDeleted }
  }

  private mutating func box() throws -> ManagedObject? {
    let name = CrowdRun.boxes[random.below(CrowdRun.boxes.count)]
    return try context.all("Box", "name == %@", name).first
  }

  private mutating func pick(_ objects: [ManagedObject]) -> ManagedObject? {
    objects.isEmpty ? nil : objects[random.below(objects.count)]
  }

  /// Saves; false when another writer was faster, and then nothing of it is left.
  private func save() throws -> Bool {
    do {
      try context.save()
      return true
    } catch let error as PersistenceError
      where [.managedObjectMerge, .managedObjectConstraintMerge].contains(error.code)
    {
      history.noteRefusal()
      context.rollback()
      try context.refreshAllObjects()
      return false
    }
  }
}
