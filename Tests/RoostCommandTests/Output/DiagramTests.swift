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
    let result = sample.roost("diagram", sample.modelPath, "--svg", file)
    #expect(result.output == "\(file): 4 entities\n")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("<svg xmlns="))
    #expect(text.contains("@media (prefers-color-scheme: dark)"))
    #expect(text.contains(">Manager</text>"))
    #expect(text.contains(">Person *</text>"))
    #expect(sample.roost("diagram", sample.modelPath, "--svg", "-").output == text)
    let parser = XMLCheck(text)
    #expect(parser.isWellFormed)
  }

  @Test("a file that cannot be written is told")
  func unwritable() throws {
    let sample = try Sample()
    let result = sample.roost("diagram", sample.modelPath, "--svg", sample.path("no/hr.svg"))
    #expect(result.code == 1)
    #expect(result.errors.contains("cannot be written"))
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
