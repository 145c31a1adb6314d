// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Hints from the operating system that a store's files were written, by any process of this machine.
///
/// A network file system does not report writes of other machines.
package struct FileHints: StoreChangeHints {
  private let folder: String
  private let names: Set<String>
  /// The files among them that may be opened for watching.
  private let openable: Set<String>
  private let hint: StoreChangeHint

  /// Makes the hints for a file and its side files.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - suffixes: The suffixes of the watched files, appended to the file's name.
  ///   - openable: The suffixes of the files that may be opened and closed for watching: where the system can watch
  ///     open files only, others are not watched. Closing a file releases the process's POSIX locks on it.
  ///   - hint: The hint to send for a write.
  package init(
    of path: String, suffixes: [String], openable: [String], hint: StoreChangeHint
  ) {
    // The side files are next to the file itself, not next to symbolic links to it.
    let path = StoreFilePath.resolved(path)
    let name = (path as NSString).lastPathComponent
    let folder = (path as NSString).deletingLastPathComponent
    self.folder = folder.isEmpty ? "." : folder
    names = Set(suffixes.map { name + $0 })
    self.openable = Set(openable.map { name + $0 })
    self.hint = hint
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
