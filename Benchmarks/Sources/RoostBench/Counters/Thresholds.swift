// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The highest counters that the workloads may reach on a store: a file in `Benchmarks/Thresholds/`.
struct Thresholds: Codable, Equatable {
  /// The number of objects with which the thresholds were recorded.
  var objects: Int
  var workloads: [String: WorkloadCounters]

  /// Counts of requests and rows are exact. Allocations may differ: hash tables grow at sizes that depend on the hash
  /// seed, a thread is created now and then, and the libraries of other systems allocate differently.
  static let tolerance = 0.1

  /// Returns the exceeded thresholds, a sentence each; empty when there are none.
  func violations(of counted: [String: WorkloadCounters], on store: StoreKind) -> [String] {
    var found: [String] = []
    let ids = counted.keys.sorted {
      WorkloadCatalogue.place(of: $0) < WorkloadCatalogue.place(of: $1)
    }
    for id in ids {
      guard let now = counted[id] else { continue }
      guard let allowed = workloads[id] else {
        found.append("\(store.title) \(id) has no threshold: record one.")
        continue
      }
      func exceed(_ name: String, _ value: Double, _ limit: Double) {
        guard value > limit else { return }
        found.append(
          "\(store.title) \(id): \(name) \(Figures.digits(value)), at most \(Figures.digits(limit))"
        )
      }
      func slack(_ limit: Double) -> Double { limit * (1 + Self.tolerance) + 0.5 }
      exceed("round trips", Double(now.roundTrips), Double(allowed.roundTrips))
      exceed("statements", Double(now.statements), Double(allowed.statements))
      exceed("rows", Double(now.rows), Double(allowed.rows))
      exceed("allocations an operation", now.allocations, slack(allowed.allocations))
      exceed("bytes an operation", now.bytes, slack(allowed.bytes) + 16)
      if let stored = now.storedBytes, let limit = allowed.storedBytes {
        exceed("bytes an object in the store", stored, slack(limit))
      }
    }
    return found
  }

  /// Reads the thresholds of a store.
  ///
  /// - Throws: ``BenchError`` when there are none, or the file holds something else.
  init(_ store: StoreKind, in folder: URL) throws {
    let file = Self.file(store, in: folder)
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw BenchError("There are no thresholds \(file.path); --counters record writes them.")
    }
    do {
      self = try JSONDecoder().decode(Thresholds.self, from: data)
    } catch {
      throw BenchError("\(file.path) holds no thresholds: \(error)")
    }
  }

  init(objects: Int, workloads: [String: WorkloadCounters]) {
    self.objects = objects
    self.workloads = workloads
  }

  /// Writes the thresholds of a store.
  func write(_ store: StoreKind, in folder: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    var data = try encoder.encode(self)
    data.append(UInt8(ascii: "\n"))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: Self.file(store, in: folder), options: .atomic)
  }

  private static func file(_ store: StoreKind, in folder: URL) -> URL {
    folder.appending(path: "\(store.rawValue).json")
  }
}
