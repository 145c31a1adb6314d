// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Encoding of prepared parts and remembered decisions: a version byte, the data, and a checksum. The decoders accept
// untrusted bytes.

extension PreparedPart {
  private static let version: UInt8 = 1

  /// The encoded part.
  package var bytes: [UInt8] {
    var writer = HistoryWriter()
    writer.bytes.append(Self.version)
    writer.put(ticket)
    writer.put(UInt64(keys.count))
    for key in keys { writer.put(signed: key) }
    return writer.bytes + HistoryPacking.checksum(of: writer.bytes)
  }

  /// Decodes a part.
  ///
  /// - Throws: `corruptStore` for bytes that ``bytes`` does not produce.
  package init(bytes: [UInt8]) throws {
    self = try PreparedChanges.reading(bytes, versions: Self.version...Self.version) { reader, _ in
      PreparedPart(
        ticket: try reader.ticket(), keys: try (0..<reader.count()).map { _ in try reader.signed() }
      )
    }
  }
}

extension RememberedDecision {
  private static let version: UInt8 = 1

  /// The encoded decision.
  package var bytes: [UInt8] {
    var writer = HistoryWriter()
    writer.bytes.append(Self.version)
    writer.put(ticket)
    writer.put(texts: unacknowledged)
    return writer.bytes + HistoryPacking.checksum(of: writer.bytes)
  }

  /// Decodes a decision.
  ///
  /// - Throws: `corruptStore` for bytes that ``bytes`` does not produce.
  package init(bytes: [UInt8]) throws {
    self = try PreparedChanges.reading(bytes, versions: Self.version...Self.version) { reader, _ in
      RememberedDecision(ticket: try reader.ticket(), unacknowledged: try reader.texts())
    }
  }
}

extension HistoryWriter {
  fileprivate mutating func put(_ ticket: SaveTicket) {
    put(ticket.id.uuid)
    put(ticket.coordinator)
    put(ticket.decider.identifier)
    put(ticket.decider.name)
    put(texts: ticket.participants)
    put(ticket.startedAt.bitPattern)
  }

  mutating func put(texts: [String]) {
    put(UInt64(texts.count))
    for text in texts { put(text) }
  }
}

extension HistoryReader {
  fileprivate mutating func ticket() throws -> SaveTicket {
    SaveTicket(
      id: SaveID(try uuid()), coordinator: try uuid(),
      decider: SaveTicket.Place(identifier: try text(), name: try text()),
      participants: try texts(), startedAt: Double(bitPattern: try number()))
  }

  mutating func texts() throws -> [String] {
    try (0..<count()).map { _ in try text() }
  }
}
