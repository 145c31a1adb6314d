// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Writes the text of a program's model into a file, for tools that compare it with earlier versions (M63).
///
/// Macros and code make a model when the program runs, so no tool can know it from the sources. With the environment
/// variable set, the first container that the program makes ends it, before any store is opened.
enum ModelPrinting {
  /// The environment variable that names the file.
  static let variable = "ROOST_PRINT_MODEL"

  /// Writes the text and ends the program, when that is asked for.
  static func printIfAsked(_ model: ManagedObjectModel) {
    // One variable: `ProcessInfo` makes a dictionary of all of them, which showed in the cost of opening a store.
    guard let value = getenv(variable), value.pointee != 0 else { return }
    let path = URL(filePath: String(cString: value))
    do {
      try Data(CanonicalModel(model).bytes).write(to: path, options: .atomic)
    } catch {
      // A tool has started the program, and shows what it says.
      FileHandle.standardError.write(Data("The model cannot be written: \(error)\n".utf8))
      exit(1)
    }
    exit(0)
  }
}
