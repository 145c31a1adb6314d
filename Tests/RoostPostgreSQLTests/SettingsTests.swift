// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostPostgreSQL

@Suite("Settings and URIs")
struct SettingsTests {
  @Test("a URI says everything that fields say")
  func whole() throws {
    let settings = try PostgreSQLURI.settings(
      "postgres://ad%40a:p%3Aw%2F@db.example.com:6543/h%20r?schema=staff&sslmode=verify-ca"
        + "&sslrootcert=%2Fetc%2Froot.crt&connect_timeout=3&application_name=x")
    #expect(settings.host == "db.example.com")
    #expect(settings.port == 6543)
    #expect(settings.database == "h r")
    #expect(settings.user == "ad@a")
    #expect(settings.password?.text == "p:w/")
    #expect(settings.schema == "staff")
    #expect(settings.connectTimeout == 3)
    #expect(settings.tls.mode == "verify-ca")
    #expect(settings.tls.rootCertificate == "/etc/root.crt")
  }

  @Test("sockets, addresses and parts that are left out")
  func parts() throws {
    let socket = try PostgreSQLURI.settings("postgresql:///db?host=/run/pg&port=7&user=u")
    #expect(socket.host == "/run/pg" && socket.port == 7 && socket.user == "u")
    #expect(try PostgreSQLURI.settings("postgresql://%2Frun%2Fpg/db").host == "/run/pg")
    #expect(try PostgreSQLURI.settings("postgresql://[::1]:7/db").host == "::1")
    #expect(try PostgreSQLURI.settings("postgresql://h").schema == "roost")
    #expect(try PostgreSQLURI.settings("postgresql://u@h/").user == "u")
  }

  static let malformed = [
    "", "mysql://secret@h/d", "secret", "postgresql://u:se@cret@h/d",
    "postgresql://u:%zzsecret@h/d",
    "postgresql://u:se cret@h/d", "postgresql://u:secret@h:port/d", "postgresql://u:secret@[::1/d",
    "postgresql://u:secret@h/d?secret=1", "postgresql://u:secret@h/d?sslmode=secret",
    "postgresql://u:secret@h/d?schema", "postgresql://u:secret@h:99999/d",
    "postgresql://u:secret@h/d?schema=pg_secret", "postgresql://u:secret@h/d#x",
    "postgresql://u:secret@a,b/d", "postgresql://u:se%00cret@h/d",
    "postgresql://u:secret@h/d?schema=" + String(repeating: "s", count: 64),
  ]

  @Test("a URI that is none is refused without a word of it", arguments: malformed)
  func refused(_ uri: String) {
    let error = #expect(throws: PersistenceError.self) {
      _ = try PersistentStoreDescription.postgresql(uri)
    }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error.map { !"\($0)\($0.detailedDescription)".contains("secret") } == true)
    #expect(error.map { !"\($0)".contains("cret") } == true)
  }

  @Test("a place is written so that it is read again, without who asks")
  func place() throws {
    for uri in [
      "postgresql://db.example.com:5433/hr?schema=a%26b", "postgresql:///hr?host=%2Frun&schema=x",
      "postgresql://[::1]/hr?schema=s",
    ] {
      let settings = try PostgreSQLURI.settings(uri)
      let place = try #require(PostgreSQLURI.place(settings))
      #expect(try PostgreSQLURI.settings(place.absoluteString) == settings)
    }
    var settings = try PostgreSQLURI.settings("postgresql://me:secret@h/d")
    #expect(PostgreSQLURI.place(settings)?.absoluteString == "postgresql://h/d?schema=roost")
    settings.schema = "other"
    #expect(PostgreSQLURI.place(settings)?.absoluteString == "postgresql://h/d?schema=other")
  }

  private func value(_ keyword: String, _ settings: PostgreSQLSettings) -> String? {
    settings.keywords(silence: 30).first { $0.keyword == keyword }?.value
  }

  @Test("hosts off this machine are verified in full unless the program says otherwise")
  func protection() throws {
    for host in ["db.example.com", "192.168.0.7", "127.evil.com", "::2", "localhost.example.com"] {
      var settings = PostgreSQLSettings()
      settings.host = host
      #expect(value("sslmode", settings) == "verify-full", "\(host)")
      #expect(value("gssencmode", settings) == "disable")
      settings.tls = .encryptedWithoutVerification
      #expect(value("sslmode", settings) == "require")
    }
    for host in ["", "/run/postgresql", "localhost", "127.0.0.1", "127.1.2.3", "::1"] {
      var settings = PostgreSQLSettings()
      settings.host = host
      #expect(value("sslmode", settings) == "prefer", "\(host)")
    }
  }

  @Test("what libpq's environment says of the host is judged as if the program had said it")
  func environment() {
    func value(_ keyword: String, _ host: String, _ defaults: LibpqDefaults) -> String? {
      var settings = PostgreSQLSettings()
      settings.host = host
      return self.value(keyword, settings.completed(by: defaults))
    }
    let remote = LibpqDefaults(host: "db.example.com")
    #expect(value("host", "", remote) == "db.example.com")
    #expect(value("sslmode", "", remote) == "verify-full")
    #expect(value("tcp_user_timeout", "", remote) == "30000")
    // A host that the program names is not replaced.
    #expect(value("sslmode", "localhost", remote) == "prefer")
    for host in ["", "/run/postgresql"] {
      let address = LibpqDefaults(hostAddress: "192.168.0.7")
      #expect(value("hostaddr", host, address) == "192.168.0.7")
      #expect(value("sslmode", host, address) == "verify-full")
      #expect(value("keepalives", host, address) == "1")
      #expect(value("sslmode", host, LibpqDefaults(hostAddress: "127.0.0.1")) == "prefer")
    }
    #expect(value("hostaddr", "127.0.0.1", LibpqDefaults(hostAddress: "1.2.3.4")) == "127.0.0.1")
    #expect(value("sslmode", "", LibpqDefaults(host: "/run/postgresql")) == "prefer")
    #expect(value("sslmode", "", LibpqDefaults()) == "prefer")
  }

  @Test("a connection that is dead is noticed by the system too")
  func keepalives() {
    var settings = PostgreSQLSettings()
    settings.host = "db.example.com"
    #expect(value("tcp_user_timeout", settings) == "30000")
    #expect(value("keepalives", settings) == "1")
    settings.host = "/run/postgresql"
    #expect(value("tcp_user_timeout", settings) == nil)
  }

  @Test("a secret is not printed, dumped or repeated")
  func secret() {
    let secret = Secret("hunter2")
    var text = "\(secret)\(String(reflecting: secret))\([secret])"
    dump(secret, to: &text)
    #expect(!text.contains("hunter2"))
    #expect(!secret.redacting("password hunter2 is wrong").contains("hunter2"))
    #expect(secret.redacting("it is wrong") == "it is wrong")
  }
}
