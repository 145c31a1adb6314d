// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The inotify watches of this process: one descriptor and one queue for all folders; the descriptor is open only
/// while a folder is watched.
final class FolderWatches: @unchecked Sendable {
  // Sendable: everything that changes is used on the queue alone.

  private let process = ProcessGeneration.current
  private let queue = DispatchQueue(label: "roost.file-hints", qos: .userInitiated)
  private var descriptor: Int32 = -1
  private var source: (any DispatchSourceRead)?
  /// The watched folders by inotify watch descriptor.
  private var folders: [Int32: Folder] = [:]
  private var nextNumber = 0

  private struct Folder {
    let path: String
    var watchers: [Int: Watcher] = [:]
  }

  private struct Watcher {
    let names: Set<String>
    let receive: @Sendable () -> Void
  }

  private static let shared = Mutex<FolderWatches?>(nil)

  /// The watches of this process. After a fork the inherited object is left alone, because its descriptor is shared
  /// with the parent.
  static var current: FolderWatches {
    shared.withLock { shared in
      if let shared, shared.process == ProcessGeneration.current { return shared }
      if let inherited = shared { _ = Unmanaged.passRetained(inherited) }
      let watches = FolderWatches()
      shared = watches
      return watches
    }
  }

  /// Returns the number of watchers of a folder, and the number of open descriptors, for tests.
  func counts(of path: String) -> (watchers: Int, descriptors: Int) {
    queue.sync {
      let watched = folders.values.filter { $0.path == path }
      return (watched.reduce(0) { $0 + $1.watchers.count }, descriptor >= 0 ? 1 : 0)
    }
  }

  /// Begins to watch files of a folder. When the system refuses, for example because the limit of watches is reached,
  /// there are no hints.
  ///
  /// - Parameter receive: Called on the queue for each write.
  func begin(
    _ path: String, _ names: Set<String>, _ receive: @escaping @Sendable () -> Void
  ) -> StoreHintSubscription {
    let number = queue.sync { () -> Int? in
      guard open(), let folder = add(path) else {
        closeIfUnused()
        return nil
      }
      nextNumber += 1
      folders[folder, default: Folder(path: path)].watchers[nextNumber] = Watcher(
        names: names, receive: receive)
      return nextNumber
    }
    guard let number else { return StoreHintSubscription {} }
    // A subscription may end on any thread, including this queue.
    return StoreHintSubscription { [self] in queue.async { self.end(number) } }
  }

  private func end(_ number: Int) {
    for (folder, content) in folders where content.watchers[number] != nil {
      folders[folder]?.watchers[number] = nil
      guard content.watchers.count == 1 else { continue }
      inotify_rm_watch(descriptor, folder)
      folders[folder] = nil
    }
    closeIfUnused()
  }

  // MARK: - The system

  /// Modifications, deletions and renames: removing a journal is a commit, too.
  private static let events = UInt32(IN_MODIFY) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)

  private func add(_ path: String) -> Int32? {
    let folder = inotify_add_watch(descriptor, path, Self.events)
    return folder >= 0 ? folder : nil
  }

  private func open() -> Bool {
    guard descriptor < 0 else { return true }
    let opened = inotify_init1(O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { return false }
    let source = DispatchSource.makeReadSource(fileDescriptor: opened, queue: queue)
    source.setEventHandler { [weak self] in self?.readEvents() }
    source.setCancelHandler { close(opened) }
    source.activate()
    descriptor = opened
    self.source = source
    return true
  }

  private func closeIfUnused() {
    guard folders.isEmpty, descriptor >= 0 else { return }
    source?.cancel()
    source = nil
    descriptor = -1
  }

  /// Reads all pending events, and calls each affected watcher once.
  private func readEvents() {
    var told: [Int: @Sendable () -> Void] = [:]
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while descriptor >= 0 {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      buffer.withUnsafeBytes { bytes in
        var start = 0
        while start + 16 <= count {
          let folder = bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)
          let event = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
          let length = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
          let end = min(start + 16 + length, count)
          note(event, in: folder, UnsafeRawBufferPointer(rebasing: bytes[start + 16..<end]), &told)
          start += 16 + length
        }
      }
    }
    for receive in told.values { receive() }
  }

  private func note(
    _ event: UInt32, in folder: Int32, _ name: UnsafeRawBufferPointer,
    _ told: inout [Int: @Sendable () -> Void]
  ) {
    if event & UInt32(IN_Q_OVERFLOW) != 0 {
      // It is unknown which events were lost, so all watchers are called.
      rearm(Array(folders.keys), &told)
    } else if event & UInt32(IN_IGNORED) != 0 {
      rearm([folder], &told)
    } else if let watchers = folders[folder]?.watchers {
      let name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      for (number, watcher) in watchers where watcher.names.contains(name) {
        told[number] = watcher.receive
      }
    }
  }

  /// Renews the watches of folders by their paths, drops those of removed folders, and marks all their watchers to be
  /// called.
  private func rearm(_ numbers: [Int32], _ told: inout [Int: @Sendable () -> Void]) {
    for number in numbers {
      guard let content = folders.removeValue(forKey: number) else { continue }
      for (watcher, content) in content.watchers { told[watcher] = content.receive }
      guard let again = add(content.path) else { continue }
      folders[again, default: Folder(path: content.path)].watchers.merge(content.watchers) { $1 }
    }
    closeIfUnused()
  }
}
#endif
