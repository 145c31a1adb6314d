// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A private PostgreSQL server in a temporary folder. It ends with this object, and with the process, however that
/// ends: `Scripts/postgres` notices, and stops the server.
package final class PrivatePostgreSQL: @unchecked Sendable {
  // Sendable: the process is started in `init` and only ended afterwards.

  /// The server's URI, by its socket.
  package let uri: String
  package let folder: String
  package let port: Int
  /// The password with which the user `roost` logs in over the network.
  package let password: String
  private let script: ServingScript

  /// Starts a server.
  ///
  /// - Parameter network: Whether it listens on 127.0.0.1 too, with passwords and a self-signed certificate.
  package init(network: Bool = false) throws {
    script = try ServingScript(
      "postgres", ["serve"] + (network ? ["--network"] : []), lastVariable: "PASSWORD")
    uri = script.variables["DATABASE_URL"] ?? ""
    folder = script.variables["FOLDER"] ?? ""
    port = script.variables["PORT"].flatMap(Int.init) ?? 0
    password = script.variables["PASSWORD"] ?? ""
  }

  deinit {
    stop()
  }

  /// Stops the server and removes its folder.
  package func stop() {
    script.stop()
  }

  /// Restarts the server without waiting for its clients, as after a crash of the machine.
  package func restart() throws {
    try ServingScript.run("postgres", ["restart", folder])
  }

  /// Kills the server with SIGKILL, and starts it again.
  package func kill() throws {
    try ServingScript.run("postgres", ["kill", folder])
  }

  /// Whether PostgreSQL is installed on this machine.
  package static let isInstalled: Bool = {
    (try? ServingScript.run("postgres", ["installed"])) != nil
  }()
}

/// The database that tests use: that of `DATABASE_URL`, or one of a private server.
package enum TestDatabase {
  /// Its URI; nil when there is no PostgreSQL; a message is printed once.
  package static let uri: String? = {
    if let uri = ProcessInfo.processInfo.environment["DATABASE_URL"], !uri.isEmpty { return uri }
    do {
      let server = try PrivatePostgreSQL()
      running.withLock { $0 = server }
      return server.uri
    } catch {
      precondition(
        !isRequired, "ROOST_REQUIRE_POSTGRES is set, and there is no PostgreSQL: \(error)")
      print("PostgreSQL is not installed and DATABASE_URL is not set: its tests are left out.")
      return nil
    }
  }()

  /// Whether `DATABASE_URL` names the server to use: then PostgreSQL need not be installed here.
  package static var isGiven: Bool {
    ProcessInfo.processInfo.environment["DATABASE_URL"]?.isEmpty == false
  }

  /// Whether tests fail without a database.
  package static var isRequired: Bool {
    ProcessInfo.processInfo.environment["ROOST_REQUIRE_POSTGRES"]?.isEmpty == false
  }

  /// The private server, which ends with the process.
  private static let running = Mutex<PrivatePostgreSQL?>(nil)
}
