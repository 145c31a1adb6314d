// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One callgrind dump: the name from its header, and the total.
struct CallgrindProfile: Equatable {
  /// The name that the program gave when it requested the dump.
  let name: String
  let instructions: Int

  /// Reads a callgrind output file.
  ///
  /// - Parameter text: The file.
  /// - Returns: Nil for a file that the program did not request, or one without a total.
  init?(_ text: some StringProtocol) {
    let trigger = "desc: Trigger: Client Request: "
    var name: String?
    var total: Int?
    for line in text.split(separator: "\n") {
      if line.hasPrefix(trigger) {
        name = String(line.dropFirst(trigger.count))
      } else if line.hasPrefix("totals: ") || line.hasPrefix("summary: ") {
        total = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      }
    }
    guard let name, let total else { return nil }
    self.name = name
    instructions = total
  }

  /// Reads all callgrind output files of a folder.
  ///
  /// - Parameter folder: The folder that callgrind writes to.
  /// - Returns: The instructions by name.
  static func all(in folder: URL) throws -> [String: Int] {
    var found: [String: Int] = [:]
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      let data = try Data(contentsOf: file)
      guard let profile = CallgrindProfile(String(decoding: data, as: UTF8.self)) else { continue }
      found[profile.name, default: 0] += profile.instructions
    }
    return found
  }
}
