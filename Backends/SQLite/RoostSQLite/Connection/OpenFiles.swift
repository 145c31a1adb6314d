// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The database files that stores of this process have open, however their paths are spelled.
///
/// Several stores may have one file open: their connections lock each other out as those of several processes do. But
/// nobody may remove or replace such a file.
enum OpenFiles {
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  static func add(_ file: FileIdentity) {
    counts.withLock { $0[file, default: 0] += 1 }
  }

  static func remove(_ file: FileIdentity) {
    counts.withLock { counts in
      let rest = counts[file, default: 0] - 1
      counts[file] = rest > 0 ? rest : nil
    }
  }

  static func contains(_ file: FileIdentity) -> Bool {
    counts.withLock { $0[file] != nil }
  }
}
