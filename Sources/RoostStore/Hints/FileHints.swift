// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Hints that a store's files were written, by any process of this machine: told by the system.
///
/// A file system of other machines tells nothing of what these write.
package struct FileHints: StoreChangeHints {
  private let folder: String
  private let names: Set<String>
  /// The files among them that may be opened for it.
  private let openable: Set<String>
  private let hint: StoreChangeHint

  /// Makes the hints of a file and of those beside it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - suffixes: What the names of the watched files have behind the file's.
  ///   - openable: The suffixes of the files that may be opened and closed for it: where the system watches open files
  ///     only, others are not watched. Closing a file drops the locks that the process has there.
  ///   - hint: What a write means.
  package init(
    of path: String, suffixes: [String], openable: [String], hint: StoreChangeHint
  ) {
    // The files beside it are where the file is, and not where links to it are.
    let path = Self.resolved(path)
    let name = (path as NSString).lastPathComponent
    let folder = (path as NSString).deletingLastPathComponent
    self.folder = folder.isEmpty ? "." : folder
    names = Set(suffixes.map { name + $0 })
    self.openable = Set(openable.map { name + $0 })
    self.hint = hint
  }

  private static func resolved(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }

  package func subscribe(
    _ receive: @escaping @Sendable (StoreChangeHint) -> Void
  ) -> StoreHintSubscription {
    let hint = hint
    #if os(Linux)
    return FolderWatches.current.begin(folder, names) { receive(hint) }
    #elseif canImport(Darwin)
    let watch = OpenFileWatch(openable.map { "\(folder)/\($0)" }) { receive(hint) }
    return StoreHintSubscription { watch.end() }
    #else
    return StoreHintSubscription {}
    #endif
  }
}
