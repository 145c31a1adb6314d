// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

extension RecordFormat {
  /// Decodes the formats of each entity code in the exact form of an encoder with sorted keys; nil for any other
  /// form.
  package static func scanned(_ bytes: [UInt8]) -> [Int: [RecordFormat]]? {
    bytes.withUnsafeBytes { bytes in
      var json = CompactJSON(bytes)
      var result: [Int: [RecordFormat]] = [:]
      guard json.skip("{") else { return nil }
      if !json.skip("}") {
        repeat {
          guard json.skip("\""), let code = json.number(), json.skip("\":["),
            let formats = list(&json), result.updateValue(formats, forKey: code) == nil
          else { return nil }
        } while json.skip(",")
        guard json.skip("}") else { return nil }
      }
      return json.isOver ? result : nil
    }
  }

  /// The formats up to the end of their list.
  private static func list(_ json: inout CompactJSON) -> [RecordFormat]? {
    var formats: [RecordFormat] = []
    if json.skip("]") { return formats }
    repeat {
      guard json.skip("{") else { return nil }
      var defaults: Defaults?
      if json.skip("\"defaults\":{") {
        guard json.skip("\"fields\":["), let fields = fields(&json), json.skip(",\"record\":"),
          let record = json.data(), json.skip("},")
        else { return nil }
        defaults = Defaults(fields: fields, record: record)
      }
      guard json.skip("\"fields\":["), let fields = fields(&json), json.skip("}") else {
        return nil
      }
      formats.append(RecordFormat(fields: fields, defaults: defaults))
    } while json.skip(",")
    return json.skip("]") ? formats : nil
  }

  /// The fields up to the end of their list.
  private static func fields(_ json: inout CompactJSON) -> [Field]? {
    var fields: [Field] = []
    if json.skip("]") { return fields }
    repeat {
      guard json.skip("{\"kind\":"), let kind = json.number().flatMap(UInt8.init(exactly:)),
        json.skip(",\"name\":"), let name = json.string(), json.skip("}")
      else { return nil }
      fields.append(Field(name: name, kind: kind))
    } while json.skip(",")
    return json.skip("]") ? fields : nil
  }
}

extension RecordFormat.Defaults {
  fileprivate init(fields: [RecordFormat.Field], record: Data) {
    self.fields = fields
    self.record = record
  }
}
