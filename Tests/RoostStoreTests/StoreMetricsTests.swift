// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@Suite("Metrics of stores")
struct StoreMetricsTests {
  private func tell(
    _ metrics: StoreMetrics, _ operation: StoreOperation, milliseconds: Int = 1, rows: Int = 0,
    _ outcome: StoreOperationResult.Outcome = .success
  ) {
    metrics.operationBegan(operation)
    metrics.operationEnded(
      operation,
      StoreOperationResult(
        duration: .milliseconds(milliseconds), outcome: outcome, rows: rows, bytes: rows * 10))
  }

  private func fetch(
    _ entity: String?, in store: String = "hr.sqlite", implicitly: Bool = false
  ) -> StoreOperation {
    StoreOperation(
      .fetch, storeName: store, storeType: "SQLite", entityName: entity, isImplicit: implicitly)
  }

  @Test("operations are counted by operation, store, entity and outcome")
  func series() {
    let metrics = StoreMetrics(buckets: [0.01, 0.1])
    tell(metrics, fetch("Person"), milliseconds: 5, rows: 3)
    tell(metrics, fetch("Person", implicitly: true), milliseconds: 50, rows: 4)
    tell(metrics, fetch("Person"), milliseconds: 5, .failure(PersistenceError(.storeBusy, "busy")))
    tell(metrics, fetch("Team"), .cancelled)
    let people = metrics.series.filter { $0.entityName == "Person" && $0.outcome == "success" }
    #expect(people.map(\.count) == [2])
    #expect(people.map(\.implicitCount) == [1])
    #expect(people.map(\.rows) == [7])
    #expect(people.map(\.bucketCounts) == [[1, 1]])
    #expect(metrics.count(of: .fetch) == 4)
    #expect(metrics.count(of: .fetch, entityName: "Person") == 3)
    #expect(metrics.count(of: .fetch, outcome: "storeBusy") == 1)
    #expect(metrics.count(of: .fetch, outcome: "cancelled") == 1)
    #expect(metrics.count(of: .commit) == 0)
  }

  @Test("the connections of stores are told where they are given")
  func connections() throws {
    let metrics = StoreMetrics()
    let none = try PrometheusPage(metrics.prometheusText())
    #expect(none.types["roost_store_connections"] == nil)
    let page = try PrometheusPage(
      metrics.prometheusText(connections: [
        "hr.sqlite": StoreConnections(limit: 4, inUse: 3, idle: 1, waiting: 2)
      ]))
    func value(_ name: String, _ more: [String: String] = [:]) -> Double? {
      page.value(name, ["store": "hr.sqlite"].merging(more) { $1 })
    }
    #expect(page.types["roost_store_connections"] == "gauge")
    #expect(value("roost_store_connections", ["state": "in_use"]) == 3)
    #expect(value("roost_store_connections", ["state": "idle"]) == 1)
    #expect(value("roost_store_connections_limit") == 4)
    #expect(value("roost_store_connection_waiters") == 2)
  }

  @Test("the text is Prometheus's: each metric has help and a type, histograms add up")
  func text() throws {
    let metrics = StoreMetrics(buckets: [0.1, 0.01, 0.01])
    for milliseconds in [5, 50, 500] {
      tell(metrics, fetch("Person"), milliseconds: milliseconds, rows: 2)
    }
    metrics.operationBegan(fetch("Person"))
    let page = try PrometheusPage(metrics.prometheusText())
    #expect(page.types["roost_store_operations_total"] == "counter")
    #expect(page.types["roost_store_operation_duration_seconds"] == "histogram")
    #expect(page.types["roost_store_operations_running"] == "gauge")
    let labels = [
      "operation": "fetch", "store": "hr.sqlite", "type": "SQLite", "entity": "Person",
      "outcome": "success",
    ]
    func value(_ name: String, _ more: [String: String] = [:]) -> Double? {
      page.value(name, labels.merging(more) { $1 })
    }
    let duration = "roost_store_operation_duration_seconds"
    #expect(value("roost_store_operations_total") == 3)
    #expect(value("roost_store_rows_total") == 6)
    #expect(value("roost_store_bytes_total") == 60)
    #expect(value("\(duration)_bucket", ["le": "0.01"]) == 1)
    #expect(value("\(duration)_bucket", ["le": "0.1"]) == 2)
    #expect(value("\(duration)_bucket", ["le": "+Inf"]) == 3)
    #expect(value("\(duration)_count") == 3)
    let sum = try #require(value("\(duration)_sum"))
    #expect((0.554...0.556).contains(sum))
    #expect(
      page.value(
        "roost_store_operations_running",
        ["operation": "fetch", "store": "hr.sqlite", "type": "SQLite"]) == 1)
  }

  @Test("names with quotes, backslashes and line ends are escaped")
  func escaping() throws {
    let names = ["a\"b", "a\\b", "a\nb", "a\r\nb", "}{,=", "Größe 🙂", "\\n"]
    let metrics = StoreMetrics()
    for name in names { tell(metrics, fetch(name, in: name)) }
    let page = try PrometheusPage(metrics.prometheusText())
    for name in names {
      let value = page.value(
        "roost_store_operations_total",
        [
          "operation": "fetch", "store": name, "type": "SQLite", "entity": name,
          "outcome": "success",
        ])
      #expect(value == 1, "\(name)")
    }
  }

  @Test("metrics that have counted nothing are a page, too")
  func empty() throws {
    let page = try PrometheusPage(StoreMetrics(buckets: []).prometheusText())
    #expect(page.types.count == 6)
    #expect(page.samples.isEmpty)
  }

  @Test("no more series are kept than were allowed; what is new counts as other")
  func bounded() {
    let metrics = StoreMetrics(seriesLimit: 3)
    for number in 0..<10 { tell(metrics, fetch("Person", in: "\(number).sqlite")) }
    #expect(metrics.series.count == 4)
    #expect(metrics.series.filter { $0.storeName == "other" }.map(\.count) == [7])
    #expect(metrics.count(of: .fetch) == 10)
  }
}
