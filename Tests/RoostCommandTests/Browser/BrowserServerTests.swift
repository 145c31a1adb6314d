// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import RoostCommandKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tests of `roost browse` over a socket.
@Suite struct BrowserServerTests {
  @Test("requests come over a socket with their headers, arguments and bodies")
  func socket() async throws {
    let server = try BrowserServer(port: 0) { request, port in
      BrowserAnswer(
        status: 201,
        .texts([
          request.method, request.path, request.query["a b"] ?? "-", request.host ?? "-",
          request.origin ?? "-", request.contentType ?? "-",
          String(decoding: request.body, as: UTF8.self), String(port),
        ]))
    }
    defer { server.stop() }
    var request = URLRequest(
      url: try #require(URL(string: "http://127.0.0.1:\(server.port)/t/x%20y?a%20b=%C3%A9%26&c")))
    request.httpMethod = "POST"
    request.setValue("http://here", forHTTPHeaderField: "Origin")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data("{\"é\":1}".utf8)
    let (data, response) = try await URLSession.shared.data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    #expect(answer.statusCode == 201)
    #expect(answer.value(forHTTPHeaderField: "Cache-Control") == "no-store")
    #expect(
      answer.value(forHTTPHeaderField: "Content-Security-Policy")?.contains("default-src 'none'")
        == true)
    #expect(
      try JSONDecoder().decode([String].self, from: data) == [
        "POST", "/t/x y", "é&", "127.0.0.1:\(server.port)", "http://here", "application/json",
        "{\"é\":1}", String(server.port),
      ])
  }

  @Test("a body that is too large is refused, and the server goes on")
  func large() async throws {
    let server = try BrowserServer(port: 0) { request, _ in
      BrowserAnswer(.integer(request.body.count))
    }
    defer { server.stop() }
    func status(_ count: Int) async throws -> Int? {
      var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
      request.httpMethod = "POST"
      request.httpBody = Data(count: count)
      let (_, response) = try await URLSession.shared.data(for: request)
      return (response as? HTTPURLResponse)?.statusCode
    }
    #expect(try await status(StoreBrowser.largestBody + 1) == 413)
    #expect(try await status(1000) == 200)
  }

  @Test("the body of a request that is not let in is dropped")
  func notLetIn() async throws {
    let gate = BrowserGate(token: "secret", port: 1)
    let asked = Atomic<Int>(0)
    let server = try BrowserServer(
      port: 0,
      refusal: { request, _ in
        #expect(request.body.isEmpty)
        return StoreBrowser.refusal(of: request, by: gate)
      },
      answer: { request, _ in
        asked.add(1, ordering: .relaxed)
        return BrowserAnswer(.integer(request.body.count))
      })
    defer { server.stop() }
    var request = URLRequest(
      url: try #require(URL(string: "http://127.0.0.1:\(server.port)/guess/")))
    request.httpMethod = "POST"
    // The body exceeds the limit; it is not even counted.
    request.httpBody = Data(count: StoreBrowser.largestBody + 1)
    let (data, response) = try await URLSession.shared.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 403)
    #expect(String(decoding: data, as: UTF8.self).contains("error"))
    #expect(asked.load(ordering: .relaxed) == 0)
  }

  @Test("a port that is taken is told")
  func port() throws {
    let server = try BrowserServer(port: 0) { _, _ in BrowserAnswer(.null) }
    defer { server.stop() }
    let sample = try Sample()
    let result = sample.roost(
      "browse", try sample.makeStore(), "--port", String(server.port), "-m", sample.modelPath)
    #expect(result.code == 1)
    #expect(result.errors.contains("port \(server.port)"))
    // Web browsers omit port 80 from the Host header.
    for port in ["0", "80", "1023", "65536"] {
      #expect(sample.roost("browse", "x.sqlite", "--port", port).code == 2)
    }
    #expect(sample.roost("browse", sample.path("none.sqlite")).code == 1)
  }

  #if os(Linux)
  @Test("the program prints its address, answers, and ends with 0", arguments: [SIGINT, SIGTERM])
  func program(signal: Int32) async throws {
    let sample = try Sample()
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "roost")
    process.arguments = ["browse", try sample.makeStore(), "-m", sample.modelPath]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let address = try #require(URL(string: line.trimmed))
    #expect(address.host() == "127.0.0.1")
    let counts = address.appending(path: "api/counts")
    let (data, _) = try await URLSession.shared.data(from: counts)
    #expect(String(decoding: data, as: UTF8.self).contains("\"Team\":2"))
    let (_, refused) = try await URLSession.shared.data(
      from: try #require(URL(string: "/guessed/api/counts", relativeTo: address)))
    #expect((refused as? HTTPURLResponse)?.statusCode == 403)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
  }
  #endif
}
