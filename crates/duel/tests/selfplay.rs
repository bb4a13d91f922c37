//! Tests of learned values: their inputs, their networks, and their files.

use hognose_duel::{
    Budget, DuelEncoder, Features, InputSizes, Selfplay, ValueFile, ValueNetwork, as_share,
};
use hognose_game::Board;
use hognose_game::duel::{Duel, DuelPosition, DuelRules, MakeBot, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_policies::Catalog;
use proptest::prelude::*;

/// Returns a position of a game of random legal moves.
fn random_position(rules: DuelRules, seed: u64, steps: u32) -> DuelPosition {
    let mut duel = Duel::new(rules, seed);
    let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
    for _ in 0..steps {
        let before = duel.position().clone();
        duel.step(Seat::BOTH.map(|seat| {
            let legal = before.legal_moves(seat);
            let nth = rng::below(&mut draws, legal.len().max(1) as u64) as usize;
            legal
                .iter()
                .nth(nth)
                .unwrap_or(before.snake(seat).heading())
        }));
        if duel.position().outcome().is_some() {
            return before;
        }
    }
    duel.position().clone()
}

fn encoded(position: &DuelPosition) -> Vec<u8> {
    let features = Features::new(*position.rules()).unwrap();
    let mut record = vec![0; features.sizes().record()];
    features.encode(position, &mut record);
    record
}

/// Returns a network with weights between -1/2 and 1/2.
fn network(sizes: InputSizes, hidden: &[usize], seed: u64) -> ValueNetwork {
    let mut draws = rng::keyed(seed, Purpose::new("weights"), 0);
    let mut number = || rng::below(&mut draws, 1001) as f32 / 1000.0 - 0.5;
    let units = [&[sizes.record()], hidden, &[1]].concat();
    let mut numbers = |count: usize| (0..count).map(|_| number()).collect::<Vec<f32>>();
    let layers = units
        .windows(2)
        .map(|pair| (numbers(pair[0] * pair[1]), numbers(pair[1])));
    ValueNetwork::new(sizes, layers.collect()).unwrap()
}

/// The definition of the log-odds, layer by layer.
fn logit(network: &ValueNetwork, record: &[u8]) -> f64 {
    let half = |seat: Seat| {
        let view = network.sizes().view(record, seat);
        let mut inputs: Vec<f64> = view
            .into_iter()
            .flatten()
            .map(|&input| as_share(input).into())
            .collect();
        let count = network.layers().len();
        for (index, (weights, bias)) in network.layers().iter().enumerate() {
            let output = |unit: usize| {
                let weighted = inputs.iter().enumerate();
                let sum: f64 = weighted
                    .map(|(input, value)| value * f64::from(weights[input * bias.len() + unit]))
                    .sum();
                let sum = sum + f64::from(bias[unit]);
                if index + 1 < count { sum.max(0.0) } else { sum }
            };
            inputs = (0..bias.len()).map(output).collect();
        }
        inputs[0]
    };
    half(Seat::First) - half(Seat::Second)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Mirrored and rotated positions have the same features, and swapping the seats swaps the
    /// snakes' features.
    #[test]
    fn features_are_symmetric(
        seed: u64,
        steps in 0u32..60,
        foods in 1u16..3,
        redraw in prop_oneof![Just(None), Just(Some(11))],
    ) {
        let rules = DuelRules::ai_snakes_2021()
            .on(Board::new(9, 7).unwrap())
            .unwrap();
        let rules = rules
            .with_redraw_after(redraw)
            .unwrap()
            .with_foods(foods)
            .unwrap();
        let position = random_position(rules, seed, steps);
        let record = encoded(&position);
        prop_assert_eq!(&record, &encoded(&position.mirrored()));
        prop_assert_eq!(&record, &encoded(&position.half_turned()));
        let sizes = Features::new(rules).unwrap().sizes();
        let swapped = encoded(&position.with_seats_swapped());
        for (seat, other) in [(Seat::First, Seat::Second), (Seat::Second, Seat::First)] {
            prop_assert_eq!(sizes.view(&record, seat), sizes.view(&swapped, other));
        }
    }

    #[test]
    fn values_match_the_definition(seed: u64, records: [[u8; 23]; 4], hidden in 1usize..70) {
        let sizes = InputSizes { seat: 9, shared: 5 };
        let network = network(sizes, &[hidden, 17], seed);
        for record in records {
            let fast = f64::from(network.logit(&record));
            let slow = logit(&network, &record);
            prop_assert!(
                (fast - slow).abs() < 1e-3 * (1.0 + slow.abs()),
                "{fast} {slow}"
            );
            let mut swapped = record;
            swapped[..9].copy_from_slice(&record[9..18]);
            swapped[9..18].copy_from_slice(&record[..9]);
            prop_assert_eq!(network.logit(&swapped), -network.logit(&record));
        }
    }
}

#[test]
fn networks_with_wrong_sizes_are_refused() {
    let sizes = InputSizes { seat: 1, shared: 1 };
    let error = |layers| ValueNetwork::new(sizes, layers).unwrap_err();
    assert_eq!(error(Vec::new()), "the last layer must have one unit");
    assert_eq!(
        error(vec![(vec![0.0; 6], vec![0.0; 2])]),
        "the last layer must have one unit"
    );
    let wrong = error(vec![(vec![0.0; 5], vec![0.0; 2])]);
    assert_eq!(
        wrong,
        "a layer of 3 inputs and 2 units must have one weight for each pair, got 5"
    );
    assert_eq!(
        error(vec![(vec![f32::NAN; 3], vec![0.0])]),
        "all weights must be finite"
    );
}

/// A written file reads back equal, and its bot plays the same moves.
#[test]
fn files_round_trip_and_play() {
    let rules = DuelRules::ai_snakes_2021();
    let sizes = Features::new(rules).unwrap().sizes();
    let file = ValueFile {
        rules,
        network: network(sizes, &[8], 3),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.safetensors");
    file.write(&path).unwrap();
    assert_eq!(ValueFile::read(folder.path()).unwrap(), file);
    let name = format!("selfplay:{}:1", folder.path().display());
    let bot = Catalog::default().bot(&name).unwrap();
    let duel = Duel::new(rules, 5);
    let moves = [&bot as &dyn MakeBot, &Selfplay::new(file, Budget::Depth(1))].map(|bot| {
        bot.make(duel.position(), Seat::First, 0)
            .unwrap()
            .act(duel.position())
    });
    assert_eq!(moves[0], moves[1]);
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let error = ValueFile::parse(&bytes, "changed").unwrap_err().to_string();
    assert!(error.contains("the checksum does not match"), "{error}");
    let missing = Catalog::default()
        .bot("selfplay:no/such/file")
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with(
            "bot \"selfplay:no/such/file\": expected a budget, or a file or folder of an agent"
        ),
        "{missing}"
    );
}
