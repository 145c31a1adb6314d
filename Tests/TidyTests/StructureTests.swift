// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests of the structure of the sources: the size of types, and the dependencies of folders.
@Suite struct StructureTests {
  private static let sources = SourceTree.files.filter { $0.isSwift && $0.isProduct }

  @Test(
    "no type has more than 80 methods or 25 stored properties, but for a list that only shrinks")
  func typeSizes() {
    #expect(TypeSizeRule.findings(in: Self.sources, exempt: TypeSizes.exempt) == [])
  }

  @Test("the list of large types names types that are as large as it says")
  func exemptSizes() {
    let sizes = TypeSizeRule.sizes(in: Self.sources)
    for (name, size) in TypeSizes.exempt { #expect(sizes[name] == size, "\(name)") }
  }

  @Test("a folder names no types of the folders above it, but for a number that only shrinks")
  func folderOrder() {
    let rule = FolderOrderRule(orders: FolderOrders.all)
    #expect(rule.unordered(in: Self.sources) == [])
    for (target, upward) in rule.upward(in: Self.sources) {
      let allowed = FolderOrders.allowed[target, default: 0]
      #expect(upward.count <= allowed, "\(target): \(upward.count): \(upward)")
    }
  }

  @Test("methods and stored properties are counted over all extensions of a type")
  func sizeControl() {
    let files = [
      SourceFile(
        path: "Sources/RoostQuery/A.swift",
        text: """
          public final class A {
            private let a = 1
            var b: Int { a }
            var c = 2 {
              didSet { print(c) }
            }
            static let d = 3
            func e() { let f = 4 }
            struct B {
              let g: Int
            }
          }
          """),
      SourceFile(
        path: "Sources/RoostQuery/A+More.swift",
        text: "extension A {\n  @inlinable public func h() {\n    func i() {}\n  }\n}\n"),
    ]
    let sizes = TypeSizeRule.sizes(in: files)
    #expect(sizes["RoostQuery.A"] == TypeSizeRule.Size(methods: 2, properties: 2))
    #expect(sizes["RoostQuery.A.B"] == TypeSizeRule.Size(methods: 0, properties: 1))
    #expect(
      TypeSizeRule.findings(
        in: files, exempt: ["RoostQuery.A": TypeSizeRule.Size(methods: 1, properties: 2)])
        == ["RoostQuery.A has 2 methods and 2 stored properties"])
  }

  @Test("a type of a folder above is found, one of a folder below is not")
  func folderControl() {
    let files = [
      SourceFile(
        path: "Sources/RoostQuery/Low/Low.swift", text: "struct Low {\n  let high: High?\n}\n"),
      SourceFile(
        path: "Sources/RoostQuery/High/High.swift", text: "struct High {\n  let low: Low\n}\n"),
    ]
    let rule = FolderOrderRule(orders: ["RoostQuery": ["Low", "High"]])
    #expect(rule.upward(in: files) == ["RoostQuery": ["Low.swift: High (High)"]])
    #expect(rule.unordered(in: files) == [])
    #expect(
      FolderOrderRule(orders: [:]).unordered(in: files) == ["RoostQuery/High", "RoostQuery/Low"])
  }
}
