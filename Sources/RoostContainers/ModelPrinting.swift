// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Writes the text of a program's model to a file, for tools that compare it with earlier versions (M63).
///
/// Macros and code make a model at run time, so no tool can determine it from the sources. When the environment
/// variable is set, the first container that the program makes writes the file and exits, before any store is opened.
enum ModelPrinting {
  /// The environment variable that names the file.
  static let variable = "ROOST_PRINT_MODEL"

  /// Writes the text and exits, if the environment variable is set.
  static func printIfAsked(_ model: ManagedObjectModel) {
    // A single variable: `ProcessInfo` makes a dictionary of all of them, which was measurable when opening a store.
    guard let value = getenv(variable), value.pointee != 0 else { return }
    let path = URL(filePath: String(cString: value))
    do {
      try Data(CanonicalModel(model).bytes).write(to: path, options: .atomic)
    } catch {
      // The program was started by a tool, which shows its output.
      FileHandle.standardError.write(Data("The model cannot be written: \(error)\n".utf8))
      exit(1)
    }
    exit(0)
  }
}
