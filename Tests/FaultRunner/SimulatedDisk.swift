// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSimulation

/// A disk that loses power: flushed writes are present, and any of the others may be.
struct SimulatedDisk {
  /// The fate of writes that were not flushed.
  enum Loss: CaseIterable {
    case none, all, some, torn
  }

  private final class File {
    var durable: [UInt8]
    var pending: [Change] = []

    init(_ bytes: [UInt8]) {
      durable = bytes
    }

    func copy() -> File {
      let copy = File(durable)
      copy.pending = pending
      return copy
    }
  }

  private enum Change {
    case write(Int, [UInt8])
    case truncate(Int)

    func apply(to bytes: inout [UInt8]) {
      switch self {
      case .write(let offset, let new):
        let missing = offset + new.count - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
      case .truncate(let size):
        if size < bytes.count {
          bytes.removeLast(bytes.count - size)
        } else {
          bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
      }
    }
  }

  private enum Naming {
    case set(String, File?)
    case rename(String, String)
    case remove(String)

    func apply(to names: inout [String: File?]) {
      switch self {
      case .set(let name, let file): names[name] = .some(file)
      case .remove(let name): names.removeValue(forKey: name)
      case .rename(let from, let to):
        guard let file = names.removeValue(forKey: from) else { return }
        names[to] = file
      }
    }
  }

  private var files: [UInt64: File] = [:]
  /// The directory entries as a program sees them; a folder is nil.
  private var names: [String: File?]
  private var durableNames: [String: File?]
  private var pendingNames: [Naming] = []

  init(_ initial: [String: [UInt8]]) {
    names = initial.mapValues { .some(File($0)) }
    durableNames = names
  }

  /// Returns a disk with the same state. Files that are open are opened again by the next record.
  func copy() -> SimulatedDisk {
    var copies: [ObjectIdentifier: File] = [:]
    func copy(_ file: File?) -> File? {
      guard let file else { return nil }
      let known = copies[ObjectIdentifier(file)] ?? file.copy()
      copies[ObjectIdentifier(file)] = known
      return known
    }
    var result = self
    result.files = [:]
    result.names = names.mapValues(copy)
    result.durableNames = durableNames.mapValues(copy)
    result.pendingNames = pendingNames.map { naming in
      if case .set(let name, let file) = naming { .set(name, copy(file)) } else { naming }
    }
    return result
  }

  private mutating func name(_ change: Naming) {
    change.apply(to: &names)
    pendingNames.append(change)
  }

  /// Applies a recorded operation.
  mutating func apply(_ operation: DiskRecord.Operation) {
    switch operation {
    case .create(let number, let path, let wasThere):
      if wasThere, let known = names[path], let known {
        files[number] = known
      } else {
        let file = File([])
        files[number] = file
        name(.set(path, file))
      }
    case .write(let number, let offset, let bytes, let isDurable):
      guard let file = files[number] else { return }
      if isDurable {
        Change.write(offset, bytes).apply(to: &file.durable)
      } else {
        file.pending.append(.write(offset, bytes))
      }
    case .truncate(let number, let size): files[number]?.pending.append(.truncate(size))
    case .sync(let number):
      guard let file = files[number] else { return }
      for change in file.pending { change.apply(to: &file.durable) }
      file.pending = []
    case .rename(let from, let to): name(.rename(from, to))
    case .remove(let path): name(.remove(path))
    case .makeFolder(let path): name(.set(path, nil))
    case .syncFolder:
      for change in pendingNames { change.apply(to: &durableNames) }
      pendingNames = []
    case .mark: break
    }
  }

  /// Writes the state after a power loss into a folder.
  func writeRemains(
    _ loss: Loss, to folder: String, _ random: inout SplitMix64
  ) throws {
    var names = durableNames
    // Changes of names become durable in their order, as on a journaling file system.
    let kept =
      switch loss {
      case .none: pendingNames.count
      case .all: 0
      case .some, .torn: Int.random(in: 0...pendingNames.count, using: &random)
      }
    for change in pendingNames[..<kept] { change.apply(to: &names) }
    for (name, _) in names.filter({ $0.value == nil }).sorted(by: { $0.key < $1.key }) {
      try FileManager.default.createDirectory(
        atPath: folder + "/" + name, withIntermediateDirectories: true)
    }
    for (name, file) in names.sorted(by: { $0.key < $1.key }) {
      guard let file else { continue }
      let path = folder + "/" + name
      let parent = (path as NSString).deletingLastPathComponent
      guard FileManager.default.fileExists(atPath: parent) else { continue }
      try Data(Self.remains(of: file, loss, &random)).write(to: URL(filePath: path))
    }
  }

  private static func remains(
    of file: File, _ loss: Loss, _ random: inout SplitMix64
  ) -> [UInt8] {
    var bytes = file.durable
    switch loss {
    case .all: break
    case .none: for change in file.pending { change.apply(to: &bytes) }
    case .some, .torn:
      let torn = loss == .torn ? file.pending.indices.randomElement(using: &random) : nil
      for (index, change) in file.pending.enumerated() {
        guard index == torn || Bool.random(using: &random) else { continue }
        guard index == torn, case .write(let offset, let new) = change, new.count > 1 else {
          change.apply(to: &bytes)
          continue
        }
        // A disk writes whole sectors.
        let end = (offset + Int.random(in: 1..<new.count, using: &random)) / 512 * 512
        guard end > offset else { continue }
        Change.write(offset, Array(new[..<(end - offset)])).apply(to: &bytes)
      }
    }
    return bytes
  }
}
