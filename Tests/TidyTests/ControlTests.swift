// SPDX-License-Identifier: Apache-2.0

import Testing

/// Controls of the rules: each rule must find the fault in a bad sample.
@Suite struct ControlTests {
  private func lines(
    _ rule: some TidyRule, _ text: String, path: String = "Sources/RoostQuery/Sample.swift"
  ) -> [Int] {
    rule.findings(in: SourceFile(path: path, text: text)).map(\.line)
  }

  @Test("comments and string texts are blanked, code in interpolations is kept")
  func blanking() {
    let text = ##"""
      let a = "x // \(b + "try!") y" // try!
      /* try! /* try! */ try! */ let c = #"\(d) \#(e)"# + f
      """##
    let file = SourceFile(path: "A.swift", text: text)
    #expect(file.codeLines[0].contains("b + \""))
    #expect(!file.codeLines[0].contains("try!"))
    #expect(!file.codeLines[1].contains("try!"))
    #expect(!file.codeLines[1].contains("d"))
    #expect(file.codeLines[1].contains("e"))
    #expect(file.codeLines[1].hasSuffix("+ f"))
    #expect(file.codeLines.map(\.utf8.count) == file.lines.map(\.utf8.count))
  }

  @Test("a comment that begins with a relative clause is found, one that goes on so is not")
  func commentOpenings() {
    let text = """
      /// What the store knows.
      let a = 1
      /// The state of the store.
      /// What follows is no beginning.
      let b = 2  // Who asks
        // Whose turn it is.
      """
    #expect(lines(CommentOpeningRule(), text) == [1, 6])
    #expect(lines(CommentOpeningRule(), text, path: "Tests/A/Sample.swift") == [])
  }

  @Test("a multi-line string does not hide the code after it")
  func blankingOfMultilineStrings() {
    let text = "let a = \"\"\"\n  quote \" and // text\n  \"\"\"\nlet b = try! c()"
    #expect(lines(BannedTextRule(), text) == [4])
  }

  @Test("a file that is removed past what makes it durable is found (B367)")
  func fileOperations() {
    let text = "try FileManager.default.removeItem(at: url)\n// unlink(path)\nunlink(path)\n"
    #expect(lines(FileOperationRule(), text, path: "Backends/A/B/Sample.swift") == [1, 3])
    #expect(lines(FileOperationRule(), text) == [])
  }

  @Test(
    "a store that is asked while a lock is held is found, and one that is asked afterwards not (F15)"
  )
  func lockedInputOutput() {
    let text = """
      state.withLock { state in
        guard let old = state.old else { return }
        old.store.close()
      }
      state.withLock({ $0.store }).close()
      let known = sideFiles.withLock { $0 = SideFiles(location) }
      let old = state.withLock { $0.store }
      old.close()
      """
    #expect(lines(LockedInputOutputRule(), text) == [3, 6])
    #expect(lines(LockedInputOutputRule(), text, path: "Tests/A/Sample.swift") == [])
  }

  @Test("a lock around a closure is found, and one around a structure with closures is not")
  func lockedClosures() {
    let text = """
      let a = Mutex<@Sendable () -> Double>({ 1 })
      let b: Mutex<(@Sendable (Int) throws -> Void)?>
      let c = Mutex<(() -> Void)?>(nil)
      let d = Mutex<[@Sendable () -> Void]>([])
      let e = Mutex<(Int, Double)>((1, 2))
      let f = Mutex(Clock { 1 })
      """
    #expect(lines(LockedClosureRule(), text) == [1, 2, 3])
  }

  @Test("an error under Core Data's names that is not Foundation's is found")
  func foundationErrors() {
    let text = """
      extension NSThing {
        public func a(
          _ text: String
        ) throws {
          throw PersistenceError(.invalidValue, text)
        }

        public func b() throws {
          try asFoundation { throw PersistenceError(.invalidValue, "") }
        }

        private func c() throws { throw PersistenceError(.invalidValue, "") }
      }
      """
    let path = "Sources/RoostCoreDataNames/Sample.swift"
    #expect(lines(FoundationErrorRule(), text, path: path) == [5])
    #expect(lines(FoundationErrorRule(), text) == [])
  }

  @Test("a missing licence and a missing blank line are found")
  func licence() {
    #expect(lines(LicenceRule(), "import Foundation\n") == [1])
    #expect(lines(LicenceRule(), LicenceRule.header + "\nimport Foundation\n") == [2])
    #expect(lines(LicenceRule(), LicenceRule.header + "\n\nimport Foundation\n") == [])
    let manifest = "// swift-tools-version: 6.2\n" + LicenceRule.header + "\n"
    #expect(lines(LicenceRule(), manifest, path: "Package.swift") == [])
  }

  @Test("a line of 101 columns is found, a line of 100 characters that take more bytes is not")
  func lineWidth() {
    #expect(lines(LineWidthRule(), String(repeating: "x", count: 101)) == [1])
    #expect(lines(LineWidthRule(), "  // " + String(repeating: "x", count: 115)) == [])
    #expect(lines(LineWidthRule(), "  // " + String(repeating: "x", count: 116)) == [1])
    #expect(lines(LineWidthRule(), String(repeating: "é", count: 100)) == [])
    #expect(lines(LineWidthRule(), "  \"" + String(repeating: "x", count: 110) + "\"") == [])
    let literal = "let a = \"\"\"\n" + String(repeating: "x", count: 110) + "\n\"\"\""
    #expect(lines(LineWidthRule(), literal) == [])
  }

  @Test("a file that is too long, that grew, or whose place on the list is not needed is found")
  func fileLength() {
    func text(_ count: Int) -> String { String(repeating: "x\n", count: count) }
    let listed = FileLengthRule(ratchet: ["Sources/RoostQuery/Sample.swift": 400])
    #expect(lines(FileLengthRule(ratchet: [:]), text(350)) == [])
    #expect(lines(FileLengthRule(ratchet: [:]), text(351)) == [1])
    #expect(lines(listed, text(400)) == [])
    #expect(lines(listed, text(401)) == [1])
    #expect(lines(listed, text(350)) == [1])
    let huge = FileLengthRule(ratchet: ["Sources/RoostQuery/Sample.swift": 900])
    #expect(lines(huge, text(501)) == [1])
  }

  @Test(
    "a function of 71 lines is found, whatever it is called",
    arguments: [
      "func a() {", "init(a: Int) {", "public convenience init?(a: Int) throws {", "deinit {",
      "subscript(a: Int) -> Int {", "var a: Int {", "func a(\n  b: Int\n)\n  -> Int\n{",
      "static func < (a: A, b: A) -> Bool {",
    ])
  func functionLength(head: String) {
    let headLines = head.split(separator: "\n").count
    func body(_ count: Int) -> String {
      let statements = String(repeating: "  x\n", count: count - headLines - 1)
      return "struct S {\n" + head + "\n" + statements + "}\n}\n"
    }
    #expect(lines(FunctionLengthRule(), body(70)) == [])
    #expect(lines(FunctionLengthRule(), body(71)) == [2])
  }

  @Test("a requirement without a body does not take the next one's")
  func requirements() {
    let long = String(repeating: "  x\n", count: 80)
    let text = "protocol P {\n  func a()\n  func b(\n    c: Int\n  ) throws\n}\nlet x = [\n"
    #expect(lines(FunctionLengthRule(), text + "\(long)]\nstruct S {\n\(long)}\n") == [])
  }

  @Test("a name that says nothing, or when, is found")
  func fileNames() {
    #expect(lines(FileNameRule(), "", path: "Sources/Roost/StoreHelper.swift") == [1])
    #expect(lines(FileNameRule(), "", path: "Sources/Roost/RowUtils+Sort.swift") == [1])
    #expect(lines(FileNameRule(), "", path: "Sources/Roost/Legacy/Row.swift") == [1])
    #expect(lines(FileNameRule(), "", path: "Sources/Roost/MigrationManager.swift") == [])
  }

  @Test(
    "a banned word is found where it counts",
    arguments: [
      "let a = try! b()", "let a = b as! C", "fatalError(\"no\")", "NSKeyedUnarchiver.self",
      "PropertyListSerialization.self", "// TODO: later", "/// FIXME", "// not implemented",
      "preconditionFailure(\"unimplemented\")", "let a = \"/tmp/file\"", "// see /work/main",
      "let a = \"/home/ada\"", "let a = \"/root/x\"", "// whoever asks", "/// Somebody waits.",
    ])
  func bannedText(line: String) {
    #expect(lines(BannedTextRule(), "let x = 1\n" + line) == [2])
  }

  @Test("a banned word in a comment or a string is not code")
  func bannedTextElsewhere() {
    #expect(lines(BannedTextRule(), "// never try! here\nlet a = \"b as! C\"") == [])
    #expect(lines(BannedTextRule(), "let a = b as? C\ntry a()") == [])
  }

  @Test("an unsafe declaration without a comment above it is found")
  func unsafeProof() {
    let bare = "final class A: @unchecked Sendable {\n  nonisolated(unsafe) var b = 1\n}"
    #expect(lines(UnsafeProofRule(), bare) == [1, 2])
    let proved =
      "// Its lock's holder only.\n@usableFromInline\nfinal class A: @unchecked Sendable {}"
    #expect(lines(UnsafeProofRule(), proved) == [])
    let inside =
      "/// A.\nfinal class A:\n  B, @unchecked Sendable\n{\n  // Sendable: it has no state.\n}"
    #expect(lines(UnsafeProofRule(), inside) == [])
    let documented = "/// A.\nfinal class A: @unchecked Sendable {}"
    #expect(lines(UnsafeProofRule(), documented) == [2])
  }

  @Test(
    "an import against the order of the layers is found",
    arguments: [
      ("Sources/RoostQuery/A.swift", "import RoostStore"),
      ("Sources/RoostModel/A.swift", "public import RoostQuery"),
      ("Sources/RoostStore/A.swift", "@_exported public import RoostObjects"),
      ("Backends/SQL/RoostSQL/A.swift", "import RoostCoordinator"),
      ("Backends/SQLite/RoostSQLite/A.swift", "package import RoostObjects"),
      ("Backends/InMemory/RoostInMemory/A.swift", "import Roost"),
      ("Backends/InMemory/RoostInMemory/A.swift", "import class RoostObjects.ManagedObject"),
      ("Backends/KeyValue/RoostKeyValue/A.swift", "import RoostSQL"),
      ("Sources/Roost/A.swift", "import SomethingElse"),
      ("Sources/RoostQuery/A.swift", "@testable import RoostObjects"),
    ])
  func layers(path: String, line: String) {
    #expect(lines(LayerRule(), "import Foundation\n" + line, path: path) == [2])
  }

  @Test("imports of the layers above are allowed, and a target without a place is found")
  func layersAllowed() {
    let text = "public import RoostModel\nimport RoostStore\nimport Synchronization\nimport CSQLite"
    #expect(lines(LayerRule(), text, path: "Backends/SQLite/RoostSQLite/A.swift") == [])
    #expect(lines(LayerRule(), "", path: "Sources/RoostSomething/A.swift") == [1])
  }

  @Test(
    "a public declaration without documentation is found",
    arguments: [
      "public struct A {}", "@inlinable public func a() {}", "open class A {}",
      "@available(*, deprecated) public static let a = 1", "public init(a: Int) {}",
      "public final class A {}", "open class func a() {}", "public subscript(a: Int) -> Int { 1 }",
      "public private(set) var a = 1", "public macro A() = b()", "@a(\n  b, c: 1)\npublic func d()",
      "// A comment\npublic let a = 1",
    ])
  func publicDocumentation(text: String) {
    let expected = text.split(separator: "\n").count + 1
    #expect(lines(PublicDocumentationRule(), "let x = 1\n" + text) == [expected])
    let documented =
      "/// A.\n@frozen\n@b(\n  c: 1\n)\n" + text.split(separator: "\n").suffix(1).joined()
    #expect(lines(PublicDocumentationRule(), documented) == [])
  }

  @Test("a number of the project's own lists is found in what is public, and nowhere else")
  func bareNumbers() {
    let text = """
      /// Reads (B12).
      @discardableResult
      public func a() {}
      /// Reads as F3 and H10 say, in UTF8 and 2D.
      package func b() {}
      // B13 says so.
      public let c = 1
      /// One.
      ///
      /// Another, B340.
      /// ```swift
      /// ConformanceCase(.saving, "kept", "a save is kept (B169)")
      /// ```
      public enum D {
        /// A case (B7, B8).
        case e
        /// None: B12345, B1x and xB1 are no such numbers.
        case f
      }
      /// Writes the rest (B14).
      @attached(
        member, names: arbitrary
      )
      public macro G() = #externalMacro(module: "M", type: "G")
      """
    #expect(lines(BareNumberRule(), text) == [1, 10, 15, 20])
    let document = "Two stores (B229) have one model.\n"
    #expect(lines(BareNumberRule(), document, path: "Sources/Roost/Roost.docc/A.md") == [1])
  }

  @Test("what is not promised, or promised by a protocol, needs no documentation")
  func undocumented() {
    let text = """
      func a() {}
      public import Foundation
      public func hash(into hasher: inout Hasher) {}
      public static func == (a: A, b: A) -> Bool { true }
      public static func < (a: A, b: A) -> Bool { true }
      open override func b() {}
      public static func _load() {}
      package func c() {}
      """
    #expect(lines(PublicDocumentationRule(), text) == [])
  }

  @Test("a case of a public enumeration and a requirement of a public protocol are promises too")
  func publicMembers() {
    let text = """
      /// A.
      @frozen public indirect enum A: B,
        C
      {
        case a(Int), b
        /// C.
        case c
        public var isC: Bool {
          switch self {
          case .c: true
          default: false
          }
        }
      }
      /// D.
      public protocol D {
        static func e()
        /// F.
        var f: Int { get }
        associatedtype G
      }
      enum H { case i }
      """
    // `isC` has no documentation either.
    #expect(lines(PublicDocumentationRule(), text) == [5, 8, 17, 20])
  }

  @Test("a public type without an example is found, and a place on the list that is not needed")
  func typeExamples() {
    let path = "Sources/RoostQuery/Sample.swift"
    let bare = "/// A.\npublic struct A {\n  /// B.\n  @frozen public enum B {}\n}"
    #expect(lines(TypeExampleRule(without: [:]), bare) == [2, 4])
    #expect(lines(TypeExampleRule(without: [path: ["A", "B"]]), bare) == [])
    let shown = "/// A.\n///\n/// ```swift\n/// A()\n/// ```\n@frozen\npublic struct A {}"
    #expect(lines(TypeExampleRule(without: [:]), shown) == [])
    #expect(lines(TypeExampleRule(without: [path: ["A"]]), shown) == [1])
    #expect(lines(TypeExampleRule(without: [:]), "public func a() {}\nstruct B {}") == [])
  }

  @Test("a public name of Foundation's at the top level is found, a nested one is not")
  func foundationNames() {
    let text = "public struct Predicate {}\nextension A {\n  public struct Predicate {}\n}"
    #expect(lines(FoundationNamesRule(), text) == [1])
    #expect(lines(FoundationNamesRule(), "@frozen public enum SortOrder {}") == [1])
    #expect(lines(FoundationNamesRule(), "public struct FetchPredicate {}") == [])
  }
}
