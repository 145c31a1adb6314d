// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostStore

/// Answers the requests of the page of `roost browse`, without a socket: a request is a value, and so is its answer.
struct StoreBrowser: Sendable {
  let sessions: BrowserSessions
  let gate: BrowserGate
  /// Ends the requests under way.
  var cancellation = RequestCancellation()
  /// The largest request body, in bytes.
  static let largestBody = 16 << 20

  /// Returns the response that rejects a request by its headers; nil for an admitted one.
  static func refusal(of request: BrowserRequest, by gate: BrowserGate) -> BrowserAnswer? {
    do throws(BrowserFault) {
      _ = try gate.admit(request)
      return nil
    } catch {
      return error.answer
    }
  }

  func answer(_ request: BrowserRequest) -> BrowserAnswer {
    do {
      return try RequestScope.cancellable(by: cancellation) {
        let path = try gate.admit(request)
        if request.method == "POST" { return try post(path, request) }
        switch path {
        case "": return page
        case "diagram.svg": return try diagram()
        default: return try read(path, BrowserQuery(values: request.query))
        }
      }
    } catch let fault as BrowserFault {
      return fault.answer
    } catch {
      return BrowserFault(error).answer
    }
  }

  /// Adds the identifier of the store to the response: the page notices by it when the store was replaced.
  private func asking(_ body: (StoreSession) throws -> OutputNode) throws -> BrowserAnswer {
    try sessions.use { session in
      var answer = BrowserAnswer(try body(session))
      answer.store = session.store.metadata.identifier
      return answer
    }
  }

  private func read(_ path: String, _ query: BrowserQuery) throws -> BrowserAnswer {
    try asking { session in
      switch path {
      case "api/store": BrowserModel(session, canWrite: sessions.isWritable).node
      case "api/counts": try BrowserModel(session, canWrite: sessions.isWritable).counts()
      case "api/rows": try BrowserRows(session, query).page()
      case "api/count": try BrowserRows(session, query).count()
      case "api/plan": try BrowserRows(session, query).plan()
      case "api/record": try BrowserRecord(session, query.required("id")).node()
      case "api/save": throw BrowserFault(405, "\(path) is written only.")
      default: throw Self.unknown(path)
      }
    }
  }

  /// Handles a write, or a request for a page of rows: the end of the previous page contains values of the store,
  /// which may be too long for a URL.
  private func post(_ path: String, _ request: BrowserRequest) throws -> BrowserAnswer {
    switch path {
    case "api/save": return try save(request)
    case "api/rows":
      guard let values = try? JSONDecoder().decode([String: String].self, from: request.body) else {
        throw BrowserFault(400, "What is asked is an object of texts.")
      }
      return try read(path, BrowserQuery(values: values))
    case "", "diagram.svg", "api/store", "api/counts", "api/count", "api/plan", "api/record":
      throw BrowserFault(405, "\(path) is read only.")
    default: throw Self.unknown(path)
    }
  }

  private func save(_ request: BrowserRequest) throws -> BrowserAnswer {
    guard sessions.isWritable else {
      throw BrowserFault(
        403, "The store is open for reading only. With “roost browse --write” it can be changed.")
    }
    return try asking { try RecordChange(request.body).save(in: $0) }
  }

  private static func unknown(_ path: String) -> BrowserFault {
    BrowserFault(404, "There is no “\(path)” here.")
  }

  // MARK: Page

  /// The page. Its parts are inline, and the nonce allows only these to run.
  private var page: BrowserAnswer {
    let nonce = BrowserGate.makeToken()
    var text = String(decoding: PackageResources.page_html, as: UTF8.self)
    for (mark, part) in [
      ("{{style}}", String(decoding: PackageResources.page_css, as: UTF8.self)),
      ("{{script}}", String(decoding: PackageResources.page_js, as: UTF8.self)),
      ("{{nonce}}", nonce),
    ] {
      text = text.replacing(mark, with: part)
    }
    let policy = """
      default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; \
      connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
      frame-ancestors 'none'
      """
    return BrowserAnswer(contentType: "text/html; charset=utf-8", policy: policy, text)
  }

  private func diagram() throws -> BrowserAnswer {
    let drawing = try sessions.use { SVGDrawing(graph: ModelGraph($0.model)).text }
    return BrowserAnswer(
      contentType: "image/svg+xml; charset=utf-8",
      policy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'", drawing)
  }
}

/// The query parameters of a request.
struct BrowserQuery: Sendable {
  let values: [String: String]

  /// A text parameter; nil when it is missing or empty.
  subscript(name: String) -> String? { values[name].flatMap { $0.trimmed.isEmpty ? nil : $0 } }

  func required(_ name: String) throws(BrowserFault) -> String {
    guard let value = self[name] else { throw BrowserFault(400, "“\(name)” is missing.") }
    return value
  }

  /// A whole number.
  func number(_ name: String, in range: ClosedRange<Int>) throws(BrowserFault) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw BrowserFault(
        400, "“\(name)” is a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
