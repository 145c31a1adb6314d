// SPDX-License-Identifier: Apache-2.0

import CBenchAllocations
import Foundation

/// The memory of this process, as Linux reports it in `/proc`.
enum PeakMemory {
  /// The resident set size in bytes; nil where the system does not report it.
  static var current: Int? { field("VmRSS") }

  /// The peak resident set size in bytes since ``reset()``.
  static var peak: Int? { field("VmHWM") }

  /// Resets the peak, after returning freed memory to the system.
  static func reset() {
    #if os(Linux)
    bench_release_freed_memory()
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    #endif
  }

  private static func field(_ name: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
      return nil
    }
    return value(of: name, in: text)
  }

  /// Returns the bytes of a line such as `VmRSS: 1234 kB`.
  static func value(of name: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      let digits = line.filter(\.isNumber)
      return Int(digits).map { $0 * 1024 }
    }
    return nil
  }
}
