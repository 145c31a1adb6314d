// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostCommandKit

/// Tests of `roost diagram`.
@Suite struct DiagramTests {
  @Test("the text for Graphviz has each entity, and a line for each pair of relationships")
  func graphviz() throws {
    let sample = try Sample()
    let result = sample.roost("diagram", sample.modelPath)
    #expect(result.errors.isEmpty)
    #expect(result.output.hasPrefix("digraph model {"))
    let lines = result.output.split(separator: "\n")
    #expect(lines.count { $0.contains("[label = <<table") } == 4)
    #expect(lines.count { $0.contains("arrowhead = onormal") } == 1)
    #expect(lines.count { $0.contains("arrowhead = crow, arrowtail = crow") } == 1)
    #expect(lines.count { $0.contains("tee") && $0.contains("crow") } == 1)
    for name in ["Person", "Manager", "Skill", "Team"] {
      #expect(result.output.contains("<b>\(name)</b>"))
    }
  }

  @Test("the drawing is XML that follows the page, light or dark")
  func drawing() throws {
    let sample = try Sample()
    let file = sample.path("hr.svg")
    let result = sample.roost("diagram", sample.modelPath, "--layout", "own", "--svg", file)
    #expect(result.output == "\(file): 4 entities\n")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("<svg xmlns="))
    #expect(text.contains("@media (prefers-color-scheme: dark)"))
    #expect(text.contains(">Manager</text>"))
    #expect(text.contains(">Person *</text>"))
    #expect(
      sample.roost("diagram", sample.modelPath, "--layout", "own", "--svg", "-").output == text)
    #expect(sample.roost("diagram", sample.modelPath, "--layout", "own").code == 2)
    let parser = XMLCheck(text)
    #expect(parser.isWellFormed)
  }

  @Test("a file that cannot be written is told")
  func unwritable() throws {
    let sample = try Sample()
    let result = sample.roost("diagram", sample.modelPath, "--svg", sample.path("no/hr.svg"))
    #expect(result.code == 1)
    #expect(
      result.errors.contains("\(sample.path("no/hr.svg")) cannot be made: there is no folder"),
      "\(result.errors)")
  }

  /// Makes a program `dot` that answers with a drawing, and returns the folder.
  private func makeDot(_ sample: Sample, _ lines: String) throws -> String {
    let folder = sample.path("bin")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(filePath: folder + "/dot"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder + "/dot")
    return folder
  }

  @Test("dot draws where it is installed, and its colours follow the page")
  func dot() throws {
    let sample = try Sample()
    let graph = ModelGraph(try sample.model())
    // Arguments: -Tsvg -Gbgcolor=transparent -o OUTPUT INPUT.
    let folder = try makeDot(
      sample,
      """
      grep -q 'digraph model' "$5" || exit 1
      printf '<?xml version="1.0"?>\\n<svg width="8pt"\\n xmlns="http://www.w3.org/2000/svg">' > "$4"
      printf '<text>Person</text></svg>\\n' >> "$4"
      """)
    #expect(GraphvizProgram.installed(in: "/nowhere:/") == nil)
    #expect(GraphvizProgram.installed(in: nil) == nil)
    let program = try #require(GraphvizProgram.installed(in: "/nowhere:\(folder)"))
    let drawing = try #require(program.drawing(of: graph))
    #expect(drawing.hasPrefix("<svg width=\"8pt\"\n xmlns="))
    #expect(drawing.contains("@media (prefers-color-scheme: dark)"))
    #expect(drawing.hasSuffix("<text>Person</text></svg>\n"))
    #expect(XMLCheck(drawing).isWellFormed)
  }

  @Test(
    "a dot that fails, draws nothing or does not end makes no drawing",
    arguments: ["exit 3", "exit 0", "echo nothing > \"$4\"", "exec sleep 600"])
  func failingDot(lines: String) throws {
    let sample = try Sample()
    let folder = try makeDot(sample, lines)
    var program = try #require(GraphvizProgram.installed(in: folder))
    if lines.contains("sleep") { program.patience = 0.1 }
    #expect(program.drawing(of: ModelGraph(try sample.model())) == nil)
  }

  @Test("names with characters that have a meaning are written as what they are")
  func escaping() throws {
    let entity = EntityDescription(name: "A<&\">B")
    let model = ManagedObjectModel(entities: [entity])
    let graph = ModelGraph(model)
    #expect(XMLCheck(SVGDrawing(graph: graph).text).isWellFormed)
    #expect(GraphvizText(graph: graph).text.contains("A&lt;&amp;&quot;&gt;B"))
  }

  @Test("boxes lie apart, whatever the lines, and each line goes from left to right")
  func layout() {
    var seed: UInt64 = 7
    func next(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for count in [0, 1, 2, 5, 20, 60] {
      let sizes = (0..<count).map { _ in
        (width: Double(80 + next(100)), height: Double(30 + next(300)))
      }
      let lines =
        count == 0 ? [] : (0..<(count * 2)).map { _ in (left: next(count), right: next(count)) }
      let layout = LayeredLayout(sizes: sizes, lines: lines)
      let boxes = layout.nodes.filter { $0.box != nil }
      #expect(boxes.count == count)
      for (index, box) in boxes.enumerated() {
        #expect(box.x >= 0 && box.y >= 0 && box.y.isFinite)
        for other in boxes.dropFirst(index + 1) {
          let areApart =
            box.x + box.width <= other.x || other.x + other.width <= box.x
            || box.y + box.height <= other.y + 0.001 || other.y + other.height <= box.y + 0.001
          #expect(areApart)
        }
      }
      for route in layout.routes {
        for (first, second) in zip(route.nodes, route.nodes.dropFirst()) {
          #expect(layout.nodes[first].column + 1 == layout.nodes[second].column)
        }
      }
    }
  }
}

/// Checks that the tags of a text are properly nested and closed, and its characters escaped.
private struct XMLCheck {
  let isWellFormed: Bool

  init(_ text: String) {
    var open: [Substring] = []
    var rest = text[...]
    var isGood = true
    while let start = rest.firstIndex(where: { "<&".contains($0) }) {
      if rest[start] == "&" {
        let names = ["&amp;", "&lt;", "&gt;", "&quot;"]
        isGood = isGood && names.contains { rest[start...].hasPrefix($0) }
        rest = rest[rest.index(after: start)...]
        continue
      }
      guard let end = rest[start...].firstIndex(of: ">") else {
        isGood = false
        break
      }
      let tag = rest[rest.index(after: start)..<end]
      if tag.hasPrefix("/") {
        isGood = isGood && open.popLast() == tag.dropFirst()
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { !$0.isWhitespace })
      }
      rest = rest[rest.index(after: end)...]
    }
    isWellFormed = isGood && open.isEmpty
  }
}
