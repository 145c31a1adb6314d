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

  static let command = Command(
    "diagram", "Prints the entities and relationships of a model as a graph.",
    discussion: """
      The text is for Graphviz: roost diagram hr.sqlite | dot -Tsvg > hr.svg. The drawing of --svg needs no
      other program, and is readable on a light and on a dark page.
      """,
    parameters: [source, svg]
  ) { parsed, console in
    let model = try ModelSource(parsed.required(source)).model()
    let graph = ModelGraph(model)
    guard let path = parsed[svg] else { return console.write(GraphvizText(graph: graph).text) }
    let drawing = SVGDrawing(graph: graph).text
    guard path != "-" else { return console.write(drawing) }
    do {
      try Data(drawing.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw CommandFailure("\(path) cannot be written: \(CommandProgram.describe(error))")
    }
    console.print("\(path): \(Quantity.of(graph.boxes.count, "entity", "entities"))")
  }
}
