// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The output of the program's reports.
enum Terminal {
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
