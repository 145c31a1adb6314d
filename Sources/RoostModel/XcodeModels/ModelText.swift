// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of a model file, with the name that errors give it.
struct ModelText {
  /// The largest file that is read. Real models have some hundred kilobytes.
  static let largestSize = 32 << 20

  /// The path, as errors show it.
  let name: String
  let bytes: [UInt8]

  init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// Reads a file.
  ///
  /// - Throws: `invalidModel` when there is no such file or it cannot be read, `limitExceeded` when it is too large.
  init(contentsOf url: URL, name: String) throws(PersistenceError) {
    self.name = name
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      // One more than is allowed, so that a file that grows, or has no end, is noticed.
      let data = try handle.read(upToCount: Self.largestSize + 1) ?? Data()
      bytes = Array(data)
    } catch {
      throw PersistenceError(
        .invalidModel, "The file \(name) cannot be read.", underlying: error)
    }
    guard bytes.count <= Self.largestSize else {
      throw PersistenceError(
        .limitExceeded, "\(name) is larger than \(Self.largestSize >> 20) MB: no model is.")
    }
  }

  /// An error with the place, as `Model.xcdatamodel/contents:12:5: ...`; lines and columns count from 1, columns in
  /// bytes.
  func error(
    _ message: String, at offset: Int, code: PersistenceError.Code = .invalidModel,
    entityName: String? = nil, key: String? = nil, underlying: (any Error)? = nil
  ) -> PersistenceError {
    var line = 1
    var start = 0
    for (index, byte) in bytes.prefix(max(0, offset)).enumerated() where byte == 10 {
      line += 1
      start = index + 1
    }
    return PersistenceError(
      code, "\(name):\(line):\(offset - start + 1): \(message)", entityName: entityName, key: key,
      underlying: underlying)
  }
}
