// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel

/// `roost diff`.
enum DiffCommand {
  private static let old = CommandArgument(
    "OLD", "The earlier model. " + ModelSource.help, completion: .files)
  private static let new = CommandArgument(
    "NEW", "The later model: a model or a store.", completion: .files)

  static let command = Command(
    "diff", "Prints what is different between two models, and whether stores can follow.",
    discussion: """
      A version of a lock file is written HR.roostlock@2.3. The program ends with 1 when stores of the earlier
      model cannot be brought to the later one by rules alone.
      """,
    parameters: [old, new, CommonParameters.allowsTypeChanges, CommonParameters.json]
  ) { parsed, console in
    let (old, new) = (try parsed.required(old), try parsed.required(new))
    let source = try ModelSource(old).model()
    let destination = try ModelSource(new).model()
    let difference = Result {
      try ModelDifference(
        from: source, to: destination,
        allowsLosslessTypeChanges: parsed[CommonParameters.allowsTypeChanges])
    }
    if parsed[CommonParameters.json] {
      console.print(node(difference, source, destination).document)
      guard case .success = difference else { throw CommandFailure() }
      return
    }
    for line in lines(try difference.get()) { console.print(line) }
  }

  private static func lines(_ difference: ModelDifference) -> [String] {
    guard !difference.changes.isEmpty else { return ["Nothing is different that stores know."] }
    var lines = difference.changes.map { "- \($0)" }
    if difference.isEmpty {
      lines.append("No stored data is concerned.")
    } else {
      lines.append(
        difference.isLossy
          ? "Stores can follow by themselves, and lose data." : "Stores can follow by themselves.")
    }
    return lines
  }

  private static func node(
    _ difference: Result<ModelDifference, any Error>, _ source: ManagedObjectModel,
    _ destination: ManagedObjectModel
  ) -> OutputNode {
    var members: [OutputNode.Member] = [
      OutputNode.Member(name: "from", value: .text(source.versionChecksum)),
      OutputNode.Member(name: "to", value: .text(destination.versionChecksum)),
    ]
    switch difference {
    case .failure(let error):
      members.append(OutputNode.Member(name: "isInferable", value: .boolean(false)))
      members.append(
        OutputNode.Member(name: "reason", value: .text(CommandProgram.describe(error))))
    case .success(let difference):
      members.append(OutputNode.Member(name: "isInferable", value: .boolean(true)))
      members.append(OutputNode.Member(name: "isLossy", value: .boolean(difference.isLossy)))
      members.append(
        .init(
          name: "changes",
          value: .list(
            difference.changes.map { change in
              .object([
                "kind": .text(change.kind.rawValue), "entity": .text(change.entityName),
                "key": change.key.map(OutputNode.text),
                "detail": change.detail.map(OutputNode.text),
                "isLossy": .boolean(change.isLossy), "text": .text("\(change)"),
              ])
            })))
    }
    return .object(members)
  }
}
