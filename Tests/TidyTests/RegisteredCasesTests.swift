// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests that all lists of conformance cases are part of the kit: an unregistered list would silently never run.
@Suite struct RegisteredCasesTests {
  /// Returns the lists of cases that are declared but not used anywhere else, as "Type.list".
  private static func unregistered(in files: [SourceFile]) -> [String] {
    var declared: Set<String> = []
    var uses: [String: Int] = [:]
    for file in files {
      // A type's cases are in `Type.swift` and `Type+Part.swift`.
      let type = file.name.prefix { $0 != "+" && $0 != "." }
      for line in file.codeLines {
        for word in line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
          uses["\(type).\(word)", default: 0] += 1
        }
        guard let list = line.firstMatch(of: /static let (\w+): \[ConformanceCase\]/)?.output.1,
          list != "all"
        else { continue }
        declared.insert("\(type).\(list)")
      }
    }
    return declared.filter { list in
      uses[list, default: 0] < 2 && !files.contains { $0.text.contains(list) }
    }.sorted()
  }

  @Test("every list of conformance cases is part of the kit")
  func registered() {
    let files = SourceTree.files.filter {
      $0.path.hasPrefix("Sources/RoostConformanceCases/") && $0.isSwift
    }
    #expect(files.count > 50)
    #expect(Self.unregistered(in: files) == [])
  }

  @Test("a list that is not added to the others is found")
  func control() {
    let files = [
      SourceFile(
        path: "Sources/RoostConformanceCases/Undo/UndoCases.swift",
        text: "enum UndoCases {\n  static let all: [ConformanceCase] = first\n}\n"),
      SourceFile(
        path: "Sources/RoostConformanceCases/Undo/UndoCases+More.swift",
        text: "static let first: [ConformanceCase] = []\nstatic let second: [ConformanceCase] = []"),
    ]
    #expect(Self.unregistered(in: files) == ["UndoCases.second"])
  }
}
