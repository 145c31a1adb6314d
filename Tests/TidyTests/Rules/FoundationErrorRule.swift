// SPDX-License-Identifier: Apache-2.0

/// A public member under Core Data's names that makes an error throws it as Foundation's.
///
/// Off Apple's systems `catch let error as NSError` matches no other error, and a ported program catches errors in that
/// way.
struct FoundationErrorRule: TidyRule {
  func findings(in file: SourceFile) -> [Finding] {
    guard file.path.hasPrefix("Sources/RoostCoreDataNames/") else { return [] }
    var found: [Finding] = []
    var isPublic = false
    var isTranslated = false
    for (index, line) in file.codeLines.enumerated() {
      if beginsMember(line) {
        isPublic = PublicDeclaration(line: line) != nil
        isTranslated = false
      }
      if line.has("asFoundation") { isTranslated = true }
      guard isPublic, !isTranslated, line.has("throw PersistenceError(") else { continue }
      found.append(
        Finding(
          path: file.path, line: index + 1,
          message: "wrap it in `asFoundation`: programs catch an NSError"))
    }
    return found
  }

  /// Whether a member of a type, or a declaration of a file, begins on a line.
  private func beginsMember(_ line: Substring) -> Bool {
    let indentation = line.prefix { $0 == " " }.count
    guard indentation <= 2, let first = line.dropFirst(indentation).first else { return false }
    return first.isLetter || first == "@"
  }
}
