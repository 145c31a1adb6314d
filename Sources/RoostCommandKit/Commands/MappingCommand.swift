// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel

/// `roost mapping`.
enum MappingCommand {
  private static let old = CommandArgument(
    "OLD", "The earlier model. " + ModelSource.help, completion: .files)
  private static let new = CommandArgument(
    "NEW", "The later model: a model or a store.", completion: .files)

  static let command = Command(
    "mapping", "Prints Swift code that maps one model to another.",
    discussion: """
      The code is a mapping model, a policy for each entity about which something is to be decided, and a test
      that runs them on a store: a beginning to be completed, for changes that cannot be inferred.
      """,
    parameters: [old, new]
  ) { parsed, console in
    let (old, new) = (try parsed.required(old), try parsed.required(new))
    let skeleton = MappingSkeleton(
      source: try ModelSource(old).model(), destination: try ModelSource(new).model(),
      titles: (old, new), makers: (ModelSource(old).swiftCode, ModelSource(new).swiftCode))
    console.write(skeleton.text)
  }
}
