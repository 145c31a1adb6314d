// SPDX-License-Identifier: Apache-2.0

extension StoreMetrics {
  /// Returns what was counted in the text format of Prometheus, version 0.0.4, whose media type is
  /// `text/plain; version=0.0.4; charset=utf-8`.
  ///
  /// | Metric | Labels |
  /// |---|---|
  /// | `roost_store_operations_total` | operation, store, type, entity, outcome |
  /// | `roost_store_implicit_operations_total` | the same |
  /// | `roost_store_rows_total` | the same |
  /// | `roost_store_bytes_total` | the same |
  /// | `roost_store_operation_duration_seconds` (a histogram) | the same |
  /// | `roost_store_operations_running` | operation, store, type |
  /// | `roost_store_connections` | store, state: `in_use` or `idle` |
  /// | `roost_store_connections_limit` | store |
  /// | `roost_store_connection_waiters` | store |
  ///
  /// - Parameter connections: What the coordinator says of the connections of its stores, to be told, too.
  /// - Returns: The text, which ends with a line feed.
  /// - Complexity: O(series).
  public func prometheusText(
    connections: [String: StoreConnections] = [:]
  ) -> String {
    let series = series.map { (labels: Self.labels(of: $0), values: $0) }
    var text = PrometheusText()
    text.begin(
      "roost_store_operations_total", .counter, "Operations of stores that ended.")
    for one in series { text.add(one.labels, "\(one.values.count)") }
    text.begin(
      "roost_store_implicit_operations_total", .counter,
      "Operations of stores that a fault or a relationship asked for.")
    for one in series { text.add(one.labels, "\(one.values.implicitCount)") }
    text.begin(
      "roost_store_rows_total", .counter, "Rows that stores returned, or records that they wrote.")
    for one in series { text.add(one.labels, "\(one.values.rows)") }
    text.begin(
      "roost_store_bytes_total", .counter,
      "The size of the values that stores returned or that they wrote, in bytes.")
    for one in series { text.add(one.labels, "\(one.values.bytes)") }
    text.begin(
      "roost_store_operation_duration_seconds", .histogram,
      "How long operations of stores took, in seconds.")
    for one in series {
      var sum = 0
      for (bound, count) in zip(buckets, one.values.bucketCounts) {
        sum += count
        text.add(one.labels + [("le", "\(bound)")], "\(sum)", suffix: "_bucket")
      }
      text.add(one.labels + [("le", "+Inf")], "\(one.values.count)", suffix: "_bucket")
      text.add(one.labels, "\(one.values.seconds)", suffix: "_sum")
      text.add(one.labels, "\(one.values.count)", suffix: "_count")
    }
    text.begin(
      "roost_store_operations_running", .gauge, "Operations of stores that have not ended yet.")
    for one in running {
      text.add(
        [("operation", one.kind.rawValue), ("store", one.storeName), ("type", one.storeType)],
        "\(one.count)")
    }
    text.add(connections)
    return text.text
  }

  private static func labels(of series: Series) -> [(String, String)] {
    [
      ("operation", series.kind.rawValue), ("store", series.storeName), ("type", series.storeType),
      ("entity", series.entityName), ("outcome", series.outcome),
    ]
  }
}

/// Puts metrics together line by line.
private struct PrometheusText {
  private(set) var text = ""
  private var name = ""

  enum Kind: String {
    case counter, gauge, histogram
  }

  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func add(_ labels: [(String, String)], _ value: String, suffix: String = "") {
    let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }
    text += "\(name)\(suffix){\(pairs.joined(separator: ","))} \(value)\n"
  }

  /// Adds how busy the connections of stores are, where there are any.
  mutating func add(_ connections: [String: StoreConnections]) {
    guard !connections.isEmpty else { return }
    let stores = connections.sorted { $0.key < $1.key }
    begin("roost_store_connections", .gauge, "Open connections of stores.")
    for (store, connections) in stores {
      add([("store", store), ("state", "in_use")], "\(connections.inUse)")
      add([("store", store), ("state", "idle")], "\(connections.idle)")
    }
    begin("roost_store_connections_limit", .gauge, "How many connections a store may have.")
    for (store, connections) in stores { add([("store", store)], "\(connections.limit)") }
    begin("roost_store_connection_waiters", .gauge, "Requests that wait for a connection.")
    for (store, connections) in stores { add([("store", store)], "\(connections.waiting)") }
  }

  /// A label's value as it stands between quotation marks.
  private static func escaped(_ value: String) -> String {
    var result = ""
    // By scalars: a line feed after a carriage return is one character with it.
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
