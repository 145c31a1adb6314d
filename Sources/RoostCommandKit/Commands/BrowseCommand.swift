// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostStore

/// `roost browse`.
enum BrowseCommand {
  private static let port = CommandOption(
    "--port", "PORT", "The port to listen at; any that is free unless given.",
    // A web browser omits the default HTTP port from the `Host` header, and ports below 1024 belong to the system.
    in: 1024...65535)
  private static let write = CommandFlag(
    "--write", "Lets the page change, add and delete records.")

  static let command = Command(
    "browse", "Shows a store in the web browser of this machine.",
    discussion: """
      Prints the address of the page, which has a secret word in it: who does not know it sees nothing, and
      other machines reach nothing at all. Only with --write anything is changed, in the way that programs do it:
      required and unique values, delete rules and conflicts are looked after. Least and largest values and
      patterns are known from --model only, and what the classes of a program do is not. Ctrl-C ends it.
      """,
    parameters: [CommonParameters.store, port, write, CommonParameters.model]
  ) { parsed, console in
    let address = try parsed.required(CommonParameters.store)
    let sessions = try NamedFailure.naming(address.title) {
      try BrowserSessions(
        address, modelPath: parsed[CommonParameters.model], isWritable: parsed[write])
    }
    defer { sessions.close() }
    let ending = EndingSignals()
    let cancellation = RequestCancellation()
    let token = BrowserGate.makeToken()
    let server: BrowserServer
    do {
      server = try BrowserServer(
        port: parsed[port] ?? 0,
        refusal: { request, port in
          StoreBrowser.refusal(of: request, by: BrowserGate(token: token, port: port))
        },
        answer: { request, port in
          StoreBrowser(
            sessions: sessions, gate: BrowserGate(token: token, port: port),
            cancellation: cancellation
          ).answer(request)
        })
    } catch let error as BrowserServer.PortInUse {
      throw CommandFailure(
        "Nothing can listen at port \(error.port). Another one is given with --port.")
    }
    console.print(BrowserGate(token: token, port: server.port).address)
    ending.wait()
    // A query that takes long is not waited for.
    cancellation.cancel()
    server.stop()
  }
}

/// SIGINT and SIGTERM, the signals that end a server.
private struct EndingSignals {
  private let arrived = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  init() {
    let arrived = arrived
    sources = [SIGINT, SIGTERM].map { number in
      // The source gets it; without this the program would end at once.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { arrived.signal() }
      source.resume()
      return source
    }
  }

  /// Waits for one of them. The next one ends the program at once, whatever it waits for.
  func wait() {
    arrived.wait()
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
