// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A value in a recording. References are keys of the recorded store.
enum RecordedValue: Codable, Hashable {
  case null
  case integer(Int64)
  case double(Double)
  case boolean(Bool)
  case string(String)
  case date(Double)
  case data(Data)
  case uuid(UUID)
  case uri(String)
  /// A decimal as text, because JSON decoders read numbers as binary floating point.
  case decimal(String)
  /// The key of an object of the recorded store; nil for an object of another store, or one that was never saved.
  case object(Int64?)

  /// - Throws: `transformation` when a transformable value cannot be converted to bytes.
  init(_ value: Value, in store: StoreIdentity) throws {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .boolean(let truth): self = .boolean(truth)
    case .string(let text): self = .string(text)
    case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
    case .data(let data): self = .data(data)
    case .uuid(let uuid): self = .uuid(uuid)
    case .uri(let url): self = .uri(url.absoluteString)
    case .decimal(let number): self = .decimal(number.description)
    case .objectID(let id):
      self = .object(id.storeIdentity?.identifier == store.identifier ? id.key : nil)
    case .transformable(let value): self = .data(try value.bytes())
    case .list, .composite:
      throw RecordingError("A value of several parts stands where no store expects one.")
    }
  }

  /// Returns the value for another store; `id` maps a recorded key to an object ID there.
  func value(_ id: (Int64) throws -> ObjectID?) throws -> Value {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .boolean(let truth): .boolean(truth)
    case .string(let text): .string(text)
    case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .data(let data): .data(data)
    case .uuid(let uuid): .uuid(uuid)
    case .uri(let text): URL(string: text).map(Value.uri) ?? .null
    case .decimal(let text): Decimal(string: text).map(Value.decimal) ?? .null
    case .object(let key): try key.flatMap(id).map(Value.objectID) ?? .null
    }
  }
}

/// The reason why a recording or a replay failed.
public struct RecordingError: Error, CustomStringConvertible {
  /// A sentence that describes the failure.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
