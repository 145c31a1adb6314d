// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
import Foundation

/// Watches files through open descriptors, and retries missing files when another one was written.
final class OpenFileWatch: @unchecked Sendable {
  // Sendable: the sources are used on the queue alone.

  private let queue = DispatchQueue(label: "roost.file-hints")
  private let paths: [String]
  private let receive: @Sendable () -> Void
  private var sources: [String: any DispatchSourceFileSystemObject] = [:]
  private var isEnded = false

  init(_ paths: [String], _ receive: @escaping @Sendable () -> Void) {
    self.paths = paths
    self.receive = receive
    queue.sync { watch() }
  }

  func end() {
    queue.async { [self] in
      isEnded = true
      for source in sources.values { source.cancel() }
      sources = [:]
    }
  }

  private func watch() {
    guard !isEnded else { return }
    for path in paths where sources[path] == nil {
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename], queue: queue)
      source.setEventHandler { [weak self] in self?.noteEvent(path) }
      source.setCancelHandler { close(descriptor) }
      sources[path] = source
      source.activate()
    }
  }

  private func noteEvent(_ path: String) {
    guard !isEnded, let source = sources[path] else { return }
    if !source.data.isDisjoint(with: [.delete, .rename]) {
      source.cancel()
      sources[path] = nil
    }
    watch()
    receive()
  }
}
#endif
