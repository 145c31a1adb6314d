// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostCommandKit

/// The store browser of `roost browse` on a sample, called without a socket.
final class BrowserBench {
  let sample: Sample
  let browser: StoreBrowser
  /// The host of valid requests.
  static let host = "127.0.0.1:4711"

  /// - Parameter keepsModel: Whether to use the model that the store keeps, instead of the sample's file.
  init(
    _ sample: Sample, _ address: String, isWritable: Bool = false, keepsModel: Bool = false
  ) throws {
    self.sample = sample
    browser = StoreBrowser(
      sessions: try BrowserSessions(
        StoreAddress(address), modelPath: keepsModel ? nil : sample.modelPath,
        isWritable: isWritable),
      gate: BrowserGate(token: "secret", port: 4711))
  }

  deinit { browser.sessions.close() }

  func request(_ path: String, _ query: [String: String] = [:]) -> BrowserRequest {
    BrowserRequest(path: "/secret/\(path)", query: query, host: Self.host)
  }

  /// Sends a request, and parses the JSON of the response.
  func ask(
    _ path: String, _ query: [String: String] = [:], status: Int = 200,
    at location: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    try Self.read(browser.answer(request(path, query)), status, location)
  }

  /// Posts a change to the current store, as the page does.
  func save(
    _ change: [String: Any], status: Int = 200, at location: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    let store = try browser.sessions.use { $0.store.metadata.identifier }
    return try post(
      "api/save", change.merging(["store": store]) { old, _ in old }, status: status, at: location)
  }

  /// Sends a request with a body, as the page does.
  func post(
    _ path: String, _ body: [String: Any], status: Int = 200,
    at location: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    var request = request(path)
    request.method = "POST"
    request.origin = "http://\(Self.host)"
    request.contentType = "application/json"
    request.body = try JSONSerialization.data(withJSONObject: body)
    return try Self.read(browser.answer(request), status, location)
  }

  private static func read(
    _ answer: BrowserAnswer, _ status: Int, _ location: SourceLocation
  ) throws -> [String: Any] {
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(answer.status == status, "\(text)", sourceLocation: location)
    let object = try JSONSerialization.jsonObject(with: answer.body)
    return try #require(object as? [String: Any], "\(text)", sourceLocation: location)
  }

  /// Returns the rows of a page, each as the texts of its cells; nil for no value.
  static func texts(_ page: [String: Any]) -> [[String?]] {
    let rows = page["rows"] as? [[String: Any]] ?? []
    return rows.map { row in
      (row["cells"] as? [Any] ?? []).map { ($0 as? [String: Any])?["text"] as? String }
    }
  }

  /// Returns the ID of the record of an entity with a name.
  func id(_ entity: String, _ name: String, key: String = "name") throws -> String {
    let page = try ask(
      "api/rows",
      ["entity": entity, "condition": "\(key) == '\(name)'", "columns": key])
    let row = try #require((page["rows"] as? [[String: Any]])?.first)
    return try #require(row["id"] as? String)
  }
}
