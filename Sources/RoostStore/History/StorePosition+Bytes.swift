// SPDX-License-Identifier: Apache-2.0

extension StorePosition {
  private static let version: UInt8 = 1

  /// The encoded position: less than 64 bytes, plus about two for each in-progress transaction of a snapshot.
  package var bytes: [UInt8] {
    var writer = HistoryWriter()
    writer.bytes.append(Self.version)
    writer.put(UInt64(bitPattern: epoch))
    switch place {
    case .number(let number, let digest):
      writer.put(UInt64(0))
      writer.put(UInt64(bitPattern: number))
      writer.put(digest)
    case .snapshot(let floor, let ceiling, let inProgress):
      writer.put(UInt64(1))
      writer.put(floor)
      writer.put(ceiling &- floor)
      writer.put(UInt64(inProgress.count))
      for transaction in inProgress { writer.put(transaction &- floor) }
    }
    return writer.bytes
  }

  /// Decodes a position; nil for invalid bytes.
  package init?(bytes: [UInt8]) {
    var reader = HistoryReader(bytes)
    guard (try? reader.byte()) == Self.version, let position = try? Self.read(&reader),
      reader.isAtEnd
    else { return nil }
    self = position
  }

  private static func read(_ reader: inout HistoryReader) throws -> StorePosition {
    let epoch = Int64(bitPattern: try reader.number())
    switch try reader.number() {
    case 0:
      let number = Int64(bitPattern: try reader.number())
      return StorePosition(epoch: epoch, place: .number(number, digest: try reader.number()))
    case 1:
      let floor = try reader.number()
      let ceiling = floor &+ (try reader.number())
      let inProgress = try (0..<reader.count()).map { _ in floor &+ (try reader.number()) }
      guard ceiling >= floor, zip(inProgress, inProgress.dropFirst()).allSatisfy(<),
        inProgress.allSatisfy({ $0 >= floor && $0 < ceiling })
      else { throw HistoryDamage() }
      return StorePosition(
        epoch: epoch,
        place: .snapshot(floor: floor, ceiling: ceiling, inProgress: inProgress))
    default: throw HistoryDamage()
    }
  }
}
