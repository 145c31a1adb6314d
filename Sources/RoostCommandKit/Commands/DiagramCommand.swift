// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostCoordinator
import RoostModel

/// `roost diagram`.
enum DiagramCommand {
  private static let source = CommandArgument(
    "MODEL|STORE", "A file with a model, or a store that keeps one.", completion: .files)
  private static let svg = CommandOption(
    "--svg", "FILE", "Writes a drawing instead; - prints it.", completion: .files)
  private static let layout = CommandOption<Layout>(
    "--layout", "NAME",
    "With --svg: dot, the program of Graphviz, or own; dot where it is installed unless given.")

  /// The programs that place the boxes and lines of a drawing.
  private enum Layout: String, CaseIterable, Sendable { case dot, own }

  static let command = Command(
    "diagram", "Prints the entities and relationships of a model as a graph.",
    discussion: """
      The text is for Graphviz: roost diagram hr.sqlite | dot -Tpdf > hr.pdf. The drawing of --svg is made with
      dot where that is installed, and without it otherwise. It is readable on a light and on a dark page.
      """,
    parameters: [source, svg, layout]
  ) { parsed, console in
    guard parsed[layout] == nil || parsed[svg] != nil else {
      throw UsageError("--layout needs --svg FILE.")
    }
    let model = try ModelSource(parsed.required(source)).model()
    let graph = ModelGraph(model)
    guard let path = parsed[svg] else { return console.write(GraphvizText(graph: graph).text) }
    if path != "-" { try NewPath(path).requireFolder() }
    let drawing = try drawing(of: graph, parsed[layout])
    guard path != "-" else { return console.write(drawing) }
    do {
      try Data(drawing.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw CommandFailure("\(path) cannot be written: \(CommandProgram.reason(of: error))")
    }
    console.print("\(path): \(Quantity.of(graph.boxes.count, "entity", "entities"))")
  }

  private static func drawing(of graph: ModelGraph, _ layout: Layout?) throws -> String {
    let program = layout == .own ? nil : GraphvizProgram.installed()
    if let drawing = program?.drawing(of: graph) { return drawing }
    guard layout != .dot else {
      throw CommandFailure(
        program == nil
          ? "dot is not installed: it is a program of Graphviz."
          : "dot has made no drawing. --layout own needs no other program.")
    }
    return SVGDrawing(graph: graph).text
  }
}
