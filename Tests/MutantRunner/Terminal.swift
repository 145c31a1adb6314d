// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the program reports to.
enum Terminal {
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
